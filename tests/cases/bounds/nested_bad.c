// Inside the whole array, but outside its row.
unsigned nondet_uint(void);
static int grid[3][5];

int main(void)
{
    unsigned c = nondet_uint();
    if (c < 6u) {
        grid[0][c] = 2; // expect: bounds unsafe
    }
    return 0;
}
