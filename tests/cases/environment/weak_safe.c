extern int maybe __attribute__((weak));

int read_it(void)
{
    return &maybe ? maybe : 0;
}
