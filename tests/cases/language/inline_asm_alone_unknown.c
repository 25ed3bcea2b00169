// A condition on nothing but what assembly yields, in a register or in memory, is as undecided as any other.
int nondet_int(void);
void __VERIFIER_assert(int);

int main(void)
{
    int x = 4, y;
    unsigned short control = 0;
    __asm__("mov %1, %0" : "=r"(y) : "r"(x));
    __VERIFIER_assert(x == 4);
    if (nondet_int()) {
        __VERIFIER_assert(y == 4); // expect: assertion unknown inline assembly
    } else {
        __asm__("fstcw %0" : "=m"(control));
        __VERIFIER_assert((control & 0xc00) == 0); // expect: assertion unknown inline assembly
    }
    return 0;
}
