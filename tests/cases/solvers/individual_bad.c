// options: --individual
int nondet_int(void);

int main(void)
{
    int x = nondet_int();
    if (x > 1 && x < 50) {
        return 1000 / (x * x - 3 * x); // expect: division-by-zero unsafe
    }
    return 0;
}
