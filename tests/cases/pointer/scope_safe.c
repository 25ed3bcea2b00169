int nondet_int(void);

int main(void)
{
    int inner = 4;
    int *p = &inner;
    if (nondet_int()) {
        inner = 5;
    }
    return *p;
}
