// Bit-fields of which nobody wrote any, and one whose neighbour was written.
struct mode {
    int level;
    unsigned on : 1;
    unsigned speed : 3;
};

static struct mode off(void)
{
    struct mode m;
    m.level = 0;
    return m;
}

static struct mode turned_on(void)
{
    struct mode m;
    m.on = 1;
    return m;
}

int read(int which)
{
    struct mode a = off(), b = turned_on();
    if (which)
        return a.on; // expect: uninitialised unsafe
    return b.speed; // expect: uninitialised unknown bit-field
}
