// Toyota ITC: uninitialised variables in many shapes.
#include <stdlib.h>

int uninit_var_001(void)
{
    int ret;
    return ret; // expect: uninitialised unsafe
}

int uninit_var_002(int flag)
{
    int a[3];
    int i;
    for (i = 0; i < 2; i++) {
        a[i] = i;
    }
    return a[2]; // expect: uninitialised unsafe
}

struct s003 {
    int a, b;
};

int uninit_var_003(void)
{
    struct s003 s;
    struct s003 *p = &s;
    p->a = 1;
    return p->b; // expect: uninitialised unsafe
}

static void set(int *out, int flag)
{
    if (flag == 10) {
        *out = 1;
    }
}

int uninit_var_004(int flag)
{
    int x;
    set(&x, flag);
    return x; // expect: uninitialised unsafe
}
