struct mode {
    int level;
    unsigned on : 1;
    unsigned speed : 3;
    signed trim : 12;
    unsigned rest : 16;
};

static struct mode make(int fast)
{
    struct mode m;
    m.on = 1;
    if (fast)
        m.speed = 5;
    m.trim = -2;
    return m;
}

int read(int fast)
{
    struct mode m = make(fast), copy;
    copy = m;
    copy.rest = 3;
    return copy.on + (fast ? copy.speed : 0) + m.trim + copy.rest;
}
