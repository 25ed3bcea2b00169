// The larger member of a union of which only the smaller one was set.
union word {
    short low;
    int all;
};

static union word make(short low)
{
    union word w;
    w.low = low;
    return w;
}

int main(void)
{
    union word w = make(3);
    return w.all; // expect: uninitialised unsafe
}
