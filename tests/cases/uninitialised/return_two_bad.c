// A struct in two registers, the second of which is set in its lower half only.
struct reading {
    long value;
    int state, channel;
};

static struct reading get(int channel)
{
    struct reading r;
    r.value = 7;
    r.state = 0;
    if (channel > 0)
        r.channel = channel;
    return r;
}

long read_one(int channel)
{
    struct reading r = get(channel);
    return r.value + r.state + r.channel; // expect: uninitialised unsafe
}
