// Memory from outside may be larger than what is copied into a native run: what lies far behind counts too.
int behind(const char *s, int at)
{
    return s[at] == 'x' ? at + 1 : 0; // expect: signed-overflow unsafe
}

struct node {
    int value;
    struct node *next;
};

int linked(struct node *list, int n)
{
    return n > 1000000000 && list[n].next->value == 5 ? n + n : 0; // expect: signed-overflow unsafe
}

// No native run is given a tebibyte, nor two gibibytes before a pointer.
int farther(const char *s, unsigned long at)
{
    int n = 0x7fffffff;
    return at > 1ul << 40 && s[at] == 'x' ? n + (int)(at & 1) : 0; // expect: signed-overflow cond-unsafe more memory
}

int before(const char *s, int at)
{
    return at < 0 && s[at] == 'x' ? at - 1 : 0; // expect: signed-overflow cond-unsafe more memory
}
