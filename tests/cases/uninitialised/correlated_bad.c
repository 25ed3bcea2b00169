int nondet_int(void);

int main(void)
{
    int flag = nondet_int(), value;
    if (flag > 5) {
        value = 7;
    }
    if (flag > 3) {
        return value; // expect: uninitialised unsafe
    }
    return 0;
}
