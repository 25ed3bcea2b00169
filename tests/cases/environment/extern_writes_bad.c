// … and may write what its arguments reach.
int read_register(int number, int *out);

int main(void)
{
    int value = 4;
    read_register(3, &value);
    return 100 / value; // expect: division-by-zero unsafe
}
