unsigned nondet_uint(void);
static int grid[3][5];

int main(void)
{
    unsigned r = nondet_uint(), c = nondet_uint();
    if (r < 3u && c < 5u) {
        grid[r][c] = 2;
        return grid[r][c];
    }
    return 0;
}
