// A pointer from outside that turns out to be that of a variable leads to what that variable has, and no more.
int table[4];
static int spare[4];
int *lend(void) { return spare; }

void behind(int *p)
{
    if (p == table) {
        p[10] = 1; // expect: pointer unsafe
    }
}
int behind_own(const int *p)
{
    if (p != spare) {
        return 0;
    }
    return p[4]; // expect: pointer unsafe
}
