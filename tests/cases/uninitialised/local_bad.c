// One branch forgets the variable.
int nondet_int(void);

int main(void)
{
    int x;
    if (nondet_int() > 3) {
        x = 1;
    }
    return x; // expect: uninitialised unsafe
}
