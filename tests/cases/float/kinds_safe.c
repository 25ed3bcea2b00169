// The functions behind the macros of math.h, as preprocessed sources call them.
int __isnan(double);
int __isinf(double);
int __finite(double);
int __signbitf(float);
int __fpclassify(double);
int isnan(double);
void __VERIFIER_assert(int);
double nondet_double(void);
float nondet_float(void);

int main(void)
{
    double d = nondet_double();
    float f = nondet_float();
    if (isnan(d)) {
        __VERIFIER_assert(d != d && __isnan(d) && __fpclassify(d) == 0);
        return 0;
    }
    __VERIFIER_assert(d == d);
    if (__isinf(d) == -1)
        __VERIFIER_assert(d < -1e300 && !__finite(d));
    if (__fpclassify(d) == 2)
        __VERIFIER_assert(d == 0);
    if (f < 0)
        __VERIFIER_assert(__signbitf(f));
    return 0;
}
