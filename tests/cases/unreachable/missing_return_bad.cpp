// In C++ flowing off the end of a function is undefined.
int nondet_int();

static int sign(int x) // expect: unreachable unsafe
{
    if (x < 0) {
        return -1;
    }
    if (x > 0) {
        return 1;
    }
}

int main()
{
    return sign(nondet_int());
}
