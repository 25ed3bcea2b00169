// A weak symbol that nobody defines is called, read or written through a null pointer.
extern int hook(int number) __attribute__((weak));
extern int limit __attribute__((weak));
extern int table[4] __attribute__((weak));

int called(void)
{
    return hook(3); // expect: pointer cond-unsafe
}

int read(void)
{
    return limit; // expect: pointer cond-unsafe
}

void written(void)
{
    table[2] = 1; // expect: pointer cond-unsafe
}
