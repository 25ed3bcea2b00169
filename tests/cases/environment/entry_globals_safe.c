// options: --entry second
// From a named entry point on, globals start with their initial values.
static int state = 1;

int second(void)
{
    return 10 / state;
}

void set(int x)
{
    state = x;
}
