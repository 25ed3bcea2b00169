// options: --checks cast
// A member of signed type: the number fits.
struct record {
    unsigned long long time;
    int count;
};

int low(void)
{
    struct record record = {0, -2};
    short count = (short)record.count;
    return count;
}
