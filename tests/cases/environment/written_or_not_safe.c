// What was written before stays written, whatever a function without a body does.
int read_register(int number, int *out);

int get(void)
{
    int value = 4;
    read_register(3, &value);
    return value;
}
