// It may not write through a pointer to const, nor to what it cannot reach.
int show(const int *value);

int main(void)
{
    int value = 4, other = 5;
    show(&value);
    return 100 / value + 100 / other;
}
