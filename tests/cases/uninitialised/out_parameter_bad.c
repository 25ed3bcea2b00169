// On failure the out parameter is left alone, and the caller ignores the result.
int nondet_int(void);

static int read_sensor(int *out)
{
    int raw = nondet_int();
    if (raw < 0) {
        return -1;
    }
    *out = raw & 0xFF;
    return 0;
}

int main(void)
{
    int value;
    read_sensor(&value);
    return value; // expect: uninitialised unsafe
}
