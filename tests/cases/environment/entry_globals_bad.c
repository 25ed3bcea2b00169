// options: --entry second --entry third --globals arbitrary
static int state = 1;

int first(int x)
{
    state = x;
    return 10 / x;
}

int second(void)
{
    return 10 / state; // expect: division-by-zero unsafe
}

int third(int x)
{
    return 10 / x; // expect: division-by-zero unsafe
}

int main(void)
{
    return first(1) + second() + third(1);
}
