// The guard lets INT_MAX through.
int nondet_int(void);

int main(void)
{
    int x = nondet_int();
    if (x > 1000) {
        return x + 1 > 0; // expect: signed-overflow unsafe
    }
    return 0;
}
