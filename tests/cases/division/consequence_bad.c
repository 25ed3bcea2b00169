// What can only go wrong after the bad division, in the same expression, is not a violation of its own.
int nondet_int(void);

int main(void)
{
    int d = nondet_int();
    return 10 / d + 100; // expect: division-by-zero unsafe; signed-overflow cond-unsafe
}
