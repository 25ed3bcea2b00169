// options: --checks float
#include <math.h>
double root(double x) { return sqrt(x); } // expect: float unsafe
double fused(double a, double b, double c) { return fma(a, b, c); } // expect: float unsafe
double gamma_of(double x) { return tgamma(x); } // expect: float unsafe|cond-unsafe
double exponential(double x) { return exp(x); } // expect: float unsafe|cond-unsafe
double logarithm(double x) { return log(x); } // expect: float unsafe|cond-unsafe
double power(double a, double b) { return pow(a, b); } // expect: float unsafe|cond-unsafe
double angle(double x) { return acos(x); } // expect: float unsafe|cond-unsafe
float small(float x) { return expf(x); } // expect: float unsafe|cond-unsafe
