// The diagonal is left out.
unsigned nondet_uint(void);

int main(void)
{
    int m[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            if (i != j) {
                m[i][j] = i + j;
            }
        }
    }
    unsigned r = nondet_uint() % 3u, c = nondet_uint() % 3u;
    return m[r][c]; // expect: uninitialised unsafe
}
