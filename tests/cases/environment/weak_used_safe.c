// Whoever asks first uses a weak symbol only where there is one.
extern int hook(int number) __attribute__((weak));
extern int limit __attribute__((weak));

int called(void)
{
    return hook ? hook(3) : 0;
}

int read(void)
{
    return &limit != 0 ? limit : 0;
}
