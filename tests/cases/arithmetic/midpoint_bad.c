// The classic binary search bug.
int nondet_int(void);

int main(void)
{
    int low = nondet_int(), high = nondet_int();
    if (low < 0 || high < low) {
        return 0;
    }
    return (low + high) / 2 == 3; // expect: signed-overflow unsafe
}
