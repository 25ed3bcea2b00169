// A variable of a block has no value when the block begins again.
int nondet_int(void);

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        int x;
        if (i == 0) {
            x = 1;
        }
        sum ^= x; // expect: uninitialised unsafe
    }
    return sum;
}
