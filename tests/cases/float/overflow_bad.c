// options: --checks float
double nondet_double(void);

int main(void)
{
    double a = nondet_double();
    if (a > -1.0e200 && a < 1.0e200) {
        return a * a > 4.0; // expect: float unsafe
    }
    return 0;
}
