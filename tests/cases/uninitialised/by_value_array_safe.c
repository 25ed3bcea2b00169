struct name {
    char text[8];
};

static struct name short_name(void)
{
    struct name n;
    n.text[0] = 'a';
    n.text[1] = 'b';
    n.text[2] = 0;
    return n;
}

int at(unsigned i)
{
    struct name n = short_name();
    return i < 3 ? n.text[i] : 0;
}
