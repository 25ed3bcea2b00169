#include <assert.h>

void visit(int *const *pointers);

void use(void)
{
    int local = 1;
    int *pointer = &local;
    visit(&pointer);
    assert(local == 1); // expect: assertion unsafe
}

#ifdef EVIDENCE
void visit(int *const *pointers)
{
    **pointers = 7;
}
int main(void)
{
    use();
}
#endif
