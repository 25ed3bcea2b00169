// An external function may return what it was given, memory from the heap too.
#include <assert.h>
#include <stdlib.h>

int *same(int *pointer);

void use(void)
{
    int *block = malloc(sizeof *block);
    if (block == NULL) {
        return;
    }
    int *other = same(block);
    *block = 1;
    *other = 2;
    assert(*block == 1); // expect: assertion unsafe
    free(block);
}

#ifdef EVIDENCE
int *same(int *pointer)
{
    return pointer;
}
int main(void)
{
    use();
}
#endif
