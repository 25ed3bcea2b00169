// options: --globals initial
static int state = 1;

int get(void)
{
    return 10 / state;
}
