// A struct that is passed in memory, and on from there.
struct block {
    unsigned char data[40];
    int used;
};

static int last(struct block b)
{
    return b.data[b.used]; // expect: uninitialised unsafe
}

static int pass_on(struct block b)
{
    b.used = 3;
    return last(b);
}

int main(void)
{
    struct block b;
    b.data[0] = b.data[1] = b.data[2] = 9;
    return pass_on(b);
}
