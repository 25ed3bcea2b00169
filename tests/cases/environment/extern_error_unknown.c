// options: --extern error
int read_register(int number);

int main(void)
{
    int r = read_register(3);
    return 100 / r; // expect: division-by-zero unknown
}
