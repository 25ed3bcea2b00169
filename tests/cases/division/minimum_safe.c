int nondet_int(void);

int main(void)
{
    int n = nondet_int();
    if (n == -2147483647 - 1) {
        n++;
    }
    return n / -1 == 5;
}
