unsigned nondet_uint(void);

int main(void)
{
    unsigned d = nondet_uint();
    return 100u % (d & 6u) == 3u; // expect: division-by-zero unsafe
}
