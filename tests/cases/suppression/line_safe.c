int nondet_int(void);

int main(void)
{
    int x = nondet_int();
    return x + 1; // vouch: ignore[signed-overflow] the caller limits x // expect: signed-overflow suppressed
}
