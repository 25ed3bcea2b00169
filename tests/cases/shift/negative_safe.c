// Right shift of a negative number is implementation-defined, not undefined.
int nondet_int(void);

int main(void)
{
    int x = nondet_int();
    return (x >> 3) == -1;
}
