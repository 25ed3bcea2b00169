// Negative minus positive can wrap.
int nondet_int(void);

int main(void)
{
    int a = nondet_int(), b = nondet_int();
    if (a < 0 && b >= 0) {
        return a - b == 0; // expect: signed-overflow unsafe
    }
    return 0;
}
