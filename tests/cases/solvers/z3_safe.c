// options: --solver z3
int nondet_int(void);

int main(void)
{
    int x = nondet_int();
    if (x > 3 && x < 50) {
        return 1000 / (x * x - 3 * x);
    }
    return 0;
}
