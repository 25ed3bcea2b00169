// The first element is never written.
unsigned nondet_uint(void);

int main(void)
{
    int a[5];
    for (int i = 1; i < 5; i++) {
        a[i] = i;
    }
    return a[nondet_uint() % 5u]; // expect: uninitialised unsafe
}
