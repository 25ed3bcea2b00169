// The guard keeps the sum in range.
int nondet_int(void);

int main(void)
{
    int x = nondet_int();
    if (x < 1000) {
        return x + 1 > 0;
    }
    return 0;
}
