// options: --no-slice --no-simplify --no-propagation --no-balance
int nondet_int(void);

int main(void)
{
    int x = nondet_int();
    int a[4] = {1, 2, 3, 4};
    for (int i = 0; i < 4; i++) {
        a[i] += i;
    }
    return 1000 / (a[x & 3] - 5); // expect: division-by-zero unsafe
}
