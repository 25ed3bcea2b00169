int __isnan(double);
int __isinf(double);
int __fpclassify(double);
void __VERIFIER_assert(int);
double nondet_double(void);

int main(void)
{
    double d = nondet_double();
    if (!__isnan(d))
        __VERIFIER_assert(d - d == 0); // expect: assertion unsafe
    if (!__isinf(d))
        __VERIFIER_assert(d == d); // expect: assertion unsafe
    if (__fpclassify(d) == 4)
        __VERIFIER_assert(d > 0); // expect: assertion unsafe
    return 0;
}
