// The comment names another category: it does not help, and is reported as unused.
// warning: unused
int nondet_int(void);

int main(void)
{
    int x = nondet_int();
    return x + 1; // vouch: ignore[division-by-zero] wrong name // expect: signed-overflow unsafe
}
