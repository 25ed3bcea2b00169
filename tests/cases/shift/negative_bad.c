// Left shift of a negative number.
int nondet_int(void);

int main(void)
{
    int x = nondet_int();
    if (x > -4 && x < 4) {
        return (x << 3) == -8; // expect: shift unsafe
    }
    return 0;
}
