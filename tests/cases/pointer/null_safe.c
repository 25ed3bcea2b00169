int nondet_int(void);

int main(void)
{
    int x = 3;
    int *p = nondet_int() ? &x : 0;
    return p ? *p : 0;
}
