unsigned nondet_uint();

int main()
{
    int *p = new int[4];
    for (int i = 0; i < 4; ++i) {
        p[i] = i;
    }
    int r = p[nondet_uint() % 4u];
    delete[] p;
    return r;
}
