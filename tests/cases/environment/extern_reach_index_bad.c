// What an external function reaches through an array of pointers, at an index that is not known.
#include <assert.h>

void update(int **table);

void use(unsigned index)
{
    int local = 1, other = 1;
    int *table[4] = {&other, &other, &other, &other};
    table[index & 3] = &local;
    update(table);
    assert(local == 1); // expect: assertion unsafe
}

#ifdef EVIDENCE
void update(int **table)
{
    *table[2] = 7;
}
int main(void)
{
    use(2);
}
#endif
