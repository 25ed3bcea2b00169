// "red" has no index 4.
unsigned nondet_uint(void);

int main(void)
{
    const char *names[3] = {"red", "green", "blue"};
    unsigned i = nondet_uint() % 3u;
    return names[i][4] == 'n'; // expect: pointer unsafe
}
