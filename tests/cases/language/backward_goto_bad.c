int nondet_int(void);

int main(void)
{
    int tries = 0;
again:
    tries++;
    if (nondet_int() && tries < 3) {
        goto again;
    }
    return 10 / (tries - 3); // expect: division-by-zero unsafe
}
