// A struct that is returned by value may hold a pointer kept before.
#include <assert.h>

struct box {
    int *content;
    int number;
};

void keep(int *pointer);
struct box get(void);

void use(void)
{
    int local;
    keep(&local);
    struct box box = get();
    local = 1;
    *box.content = 2;
    assert(local == 1); // expect: assertion unsafe
}

#ifdef EVIDENCE
static struct box kept;
void keep(int *pointer)
{
    kept.content = pointer;
}
struct box get(void)
{
    return kept;
}
int main(void)
{
    use();
}
#endif
