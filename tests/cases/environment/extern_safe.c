int read_register(int number);

int main(void)
{
    int r = read_register(3);
    return r > 0 ? 100 / r : 0;
}
