// The same within the variable.
int table[4];
static int spare[4];
int *lend(void) { return spare; }

void behind(int *p)
{
    if (p == table) {
        p[3] = 1; // expect: pointer safe
    }
}
int behind_own(const int *p)
{
    if (p != spare) {
        return p[4]; // expect: pointer safe
    }
    return p[3]; // expect: pointer safe
}
