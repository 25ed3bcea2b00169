// options: --strategy k-induction --unwind 4
// What is freed in a loop stays freed in the inductive step.
#include <stdlib.h>

int count(void);

int last(int *p)
{
    int i = 0, n = count(), sum = 0;
    for (i = 0; i < n; i++) {
        sum = *p; // expect: pointer unsafe
        if (i == 2) {
            free(p);
        }
    }
    return sum;
}
