int nondet_int(void);

int main(void)
{
    int x = 4, y = 5, *p;
    if (nondet_int()) {
        p = &x;
    } else {
        p = &y;
    }
    return *p;
}
