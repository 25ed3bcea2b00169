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
        r.channel = channel & 15;
    return r;
}

long read_one(int channel)
{
    struct reading r = get(channel);
    return r.value + r.state + (channel > 0 ? r.channel : 0);
}
