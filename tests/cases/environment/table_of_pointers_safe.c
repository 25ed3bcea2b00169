// Where nobody writes in between, the same place holds the same pointer.
#include <assert.h>

struct leaf { int value; };

void same(char **table, int i) { assert(table[i] == table[i]); }

void equal(char **table, int i, int j)
{
    if (i == j)
        assert(table[i] == table[j]);
}

void kept(struct leaf **table, int i)
{
    table[i]->value = 1;
    assert(table[i]->value == 1);
}
