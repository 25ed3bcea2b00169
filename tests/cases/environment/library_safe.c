// No main: every function that nobody calls is an entry point with arbitrary arguments.
static int clamp(int x)
{
    return x < 0 ? 0 : x > 100 ? 100 : x;
}

int percent(int part, int whole)
{
    if (whole <= 0) {
        return 0;
    }
    return clamp(part) * 100 / whole;
}
