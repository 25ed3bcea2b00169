// options: --checks cast
// A member of unsigned type: what looks like -2 is a large number.
struct record {
    unsigned long long time;
    unsigned int count;
};

int low(void)
{
    struct record record = {0, 4294967294U};
    short count = (short)record.count; // expect: cast unsafe
    return count;
}
