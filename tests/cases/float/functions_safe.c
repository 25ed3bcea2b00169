// options: --checks float
#include <math.h>
double root(double x) { return x >= 0 ? sqrt(x) : 0; }
double fused(float a, float b, float c) { return fma(a, b, c); }
double angle(double x) { return x >= -1 && x <= 1 ? acos(x) : 0; } // maybe: float cond-unsafe
