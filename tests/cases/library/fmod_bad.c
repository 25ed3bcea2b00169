// slow: fmodf_bad.c
#include <math.h>

static const int table[10];

int entry(double x)
{
    if (!(x >= 0 && x < 100))
        return 0;
    return table[(int)fmod(x, 11)]; // expect: bounds unsafe
}
