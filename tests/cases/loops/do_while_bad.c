unsigned nondet_uint(void);

int main(void)
{
    unsigned n = 0;
    do {
        n++;
    } while (n < nondet_uint() % 4u);
    return (int)(10u / (n - 1u)); // expect: division-by-zero unsafe
}
