// What is written on success only, and read on success only.
static _Bool take(const unsigned char **p, const unsigned char *end, unsigned char *out)
{
    if (*p >= end)
        return 0;
    *out = *(*p)++; // expect: pointer safe; uninitialised safe
    return 1;
}

static int pair(const unsigned char **p, const unsigned char *end, unsigned *out)
{
    unsigned char high, low;
    if (!take(p, end, &high))
        return -1;
    if (!take(p, end, &low))
        return -2;
    *out = high * 256u + low; // expect: uninitialised safe
    return 0;
}

static int table[65536];

int asked(const unsigned char *text, unsigned short length)
{
    unsigned value;
    int status = pair(&text, text + length, &value);
    if (status < 0)
        return -1;
    return table[value]; // expect: uninitialised safe; bounds safe
}

int in_a_loop(const unsigned char *text, unsigned short length)
{
    unsigned value;
    int sum = 0;
    while (pair(&text, text + length, &value) == 0) {
        unsigned char low = (unsigned char)(value & 255); // expect: uninitialised safe
        if (low == 7)
            return sum; // leaves a block with a variable of its own
        sum ^= low;
    }
    return sum;
}
