// Nobody looks at the result, or the end is never come to.
static int count;

static int note(int mode)
{
    if (mode == 1)
        return 10;
    count = mode;
}

static int always(int mode)
{
    if (mode >= 0)
        return 1;
    if (mode < 0)
        return 2;
}

int both(int mode)
{
    note(mode);
    return always(mode);
}
