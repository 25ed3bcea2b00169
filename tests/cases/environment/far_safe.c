int behind(const char *s, int at)
{
    return at < 0x7fffffff && s[at] == 'x' ? at + 1 : 0;
}

struct node {
    int value;
    struct node *next;
};

int linked(struct node *list, int n)
{
    return n > 1000000000 && list[n].next->value == 5 ? n - 1000000000 : 0;
}

int farther(const char *s, unsigned long at)
{
    int n = 0x7ffffffe;
    return at > 1ul << 40 && s[at] == 'x' ? n + (int)(at & 1) : 0;
}

int before(const char *s, int at)
{
    return at < 0 && s[at] == 'x' ? at + 1 : 0;
}
