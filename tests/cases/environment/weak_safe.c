extern int maybe __attribute__((weak));

int use(void)
{
    return &maybe != 0 ? maybe : 0;
}
