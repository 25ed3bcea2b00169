// vouch: range x 0x10..20
static int inverse(unsigned char x)
{
    return 1 / (20 - x); // expect: division-by-zero unsafe
}

// vouch: requires x > 15 && x + 1 <= 21
int from_outside(unsigned char x)
{
    return inverse(x);
}
