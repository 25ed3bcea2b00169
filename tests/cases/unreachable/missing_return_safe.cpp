// Every path returns.
int nondet_int();

static int sign(int x)
{
    if (x < 0) {
        return -1;
    }
    return x > 0;
}

int main()
{
    return sign(nondet_int());
}
