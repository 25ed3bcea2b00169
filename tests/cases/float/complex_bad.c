// A complex quotient may be infinite. How compilers compute it differs: nothing is said of its value.
// options: --checks float
double _Complex ratio(double _Complex a, double _Complex b)
{
    return a / b; // expect: float cond-unsafe not computed
}
