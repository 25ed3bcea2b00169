unsigned nondet_uint(void);
static int table[10];

int main(void)
{
    unsigned i = nondet_uint();
    if (i < 10u) {
        table[i] = 1;
        return table[i];
    }
    return 0;
}
