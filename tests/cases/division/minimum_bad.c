// INT_MIN / -1 does not fit.
int nondet_int(void);

int main(void)
{
    int n = nondet_int(), d = nondet_int();
    if (d == 0) {
        return 0;
    }
    return n / d == 5; // expect: signed-overflow|division-by-zero unsafe
}
