// Behind a pointer in a const struct may stand something that is not const.
#include <assert.h>

struct view {
    int *value;
};

void show(const struct view *view);

void use(void)
{
    int local = 1;
    struct view view = {&local};
    show(&view);
    assert(local == 1); // expect: assertion unsafe
}

#ifdef EVIDENCE
void show(const struct view *view)
{
    *view->value = 7;
}
int main(void)
{
    use();
}
#endif
