unsigned nondet_uint(void);

int main(void)
{
    switch (nondet_uint() % 4u) {
    case 0:
        return 1;
    case 1:
        return 2;
    case 2:
        return 3;
    default:
        __builtin_unreachable(); // expect: unreachable unsafe
    }
}
