#include <assert.h>
static int a[3] = {1, 2, 3};
static int *p = &a[1];
static struct {
    const char *name;
    int *where;
} t = {"x", a + 2};

int main(void)
{
    assert(*p == 2 && *t.where == 3 && t.name[0] == 'x');
    return 0;
}
