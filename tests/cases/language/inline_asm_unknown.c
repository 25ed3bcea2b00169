// What depends on inline assembly is undecided; the rest is not.
int nondet_int(void);

int main(void)
{
    int x = nondet_int(), y;
    __asm__("mov %1, %0" : "=r"(y) : "r"(x));
    int z = x & 7;
    int q = 10 / (z + 1);
    return y + q; // expect: signed-overflow unknown
}
