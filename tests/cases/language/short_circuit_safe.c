int nondet_int(void);

int main(void)
{
    int d = nondet_int();
    return d > 0 && 10 / d > 2;
}
