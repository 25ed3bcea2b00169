// `int *const *`: the pointers stay, what they lead to need not.
#include <assert.h>

void visit(int *const *pointers);

void use(void)
{
    int local = 1;
    int *pointer = &local;
    visit(&pointer);
    assert(pointer == &local);
}
