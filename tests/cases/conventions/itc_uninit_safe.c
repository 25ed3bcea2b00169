#include <stdlib.h>

int uninit_var_001(void)
{
    int ret = 1;
    return ret;
}

int uninit_var_002(int flag)
{
    int a[3];
    int i;
    for (i = 0; i < 3; i++) {
        a[i] = i;
    }
    return a[2];
}

struct s003 {
    int a, b;
};

int uninit_var_003(void)
{
    struct s003 s;
    struct s003 *p = &s;
    p->b = 1;
    return p->b;
}

static void set(int *out, int flag)
{
    *out = flag == 10 ? 1 : 0;
}

int uninit_var_004(int flag)
{
    int x;
    set(&x, flag);
    return x;
}
