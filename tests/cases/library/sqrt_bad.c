// The root of a negative number is NaN, which is out of range for int.
#include <math.h>
int nondet_int(void);

int main(void)
{
    int n = nondet_int();
    if (n > -10 && n < 10) {
        return (int)sqrt((double)n); // expect: narrowing unsafe
    }
    return 0;
}
