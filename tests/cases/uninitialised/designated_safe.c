// What an initialiser leaves out is zero.
struct s {
    int a, b, c[3];
};

int main(void)
{
    struct s x = {.b = 2};
    return x.a + x.c[2];
}
