// abort ends the run, as the assumptions of many test suites are written.
#include <stdlib.h>
int nondet_int(void);

int main(void)
{
    int d = nondet_int();
    if (d <= 0) {
        abort();
    }
    return 10 / d;
}
