int nondet_int(void);

int main(void)
{
    int a[4] = {1, 2, 3, 4};
    int i = nondet_int();
    return i < 4 ? a[i] : 0; // expect: bounds unsafe
}
