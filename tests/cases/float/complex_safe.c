// Sums of small complex numbers are finite.
// options: --checks float
static double small(double x)
{
    return x > -1.0 && x < 1.0 ? x : 0.0;
}

double _Complex sum(double a, double b)
{
    double _Complex x, y;
    __real__ x = small(a);
    __imag__ x = small(b);
    y = x;
    return x + y;
}
