// options: --checks float
double nondet_double(void);

int main(void)
{
    double a = nondet_double();
    if (a > -1.0e100 && a < 1.0e100) {
        return a * a > 4.0;
    }
    return 0;
}
