int nondet_int(void);

int main(void)
{
    int n = nondet_int();
    n++; // expect: signed-overflow unsafe
    return n == 0;
}
