unsigned nondet_uint(void);

int main(void)
{
    unsigned d = nondet_uint();
    return (int)(100u % (d | 1u)) == 3;
}
