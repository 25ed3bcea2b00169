unsigned nondet_uint(void);

int main(void)
{
    int a[5];
    for (int i = 0; i < 5; i++) {
        a[i] = i;
    }
    return a[nondet_uint() % 5u];
}
