// What is written on success only: the result was asked for the wrong way, or too late.
static _Bool take(const unsigned char **p, const unsigned char *end, unsigned char *out)
{
    if (*p >= end)
        return 0;
    *out = *(*p)++;
    return 1;
}

static int pair(const unsigned char **p, const unsigned char *end, unsigned *out)
{
    unsigned char high, low;
    if (!take(p, end, &high))
        return -1;
    if (!take(p, end, &low))
        return -2;
    *out = high * 256u + low;
    return 0;
}

static int table[65536];

int wrong_way(const unsigned char *text, unsigned short length)
{
    unsigned value;
    if (pair(&text, text + length, &value) > 0) // negative codes are forgotten
        return -1;
    return table[value & 65535]; // expect: uninitialised unsafe
}

int not_asked(const unsigned char *text, unsigned short length)
{
    unsigned value;
    int status = pair(&text, text + length, &value);
    int first = table[value & 65535]; // expect: uninitialised unsafe
    return status ? -1 : first;
}
