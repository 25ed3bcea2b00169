#include "limits_of_ours.h"
unsigned nondet_uint(void);

int main(void)
{
    int a[SIZE] = {0};
    return a[nondet_uint() % (SIZE + 1)]; // expect: bounds unsafe
}
