int nondet_int(void);

static int read_sensor(int *out)
{
    int raw = nondet_int();
    *out = raw & 0xFF;
    return raw < 0 ? -1 : 0;
}

int main(void)
{
    int value;
    read_sensor(&value);
    return value;
}
