// Pointers at variable places of memory from outside: what may change in between, and what they lead to.
#include <assert.h>

extern void change(char **table);
struct node { struct node *next; int value; };

void changed(char **table, int i)
{
    char *before = table[i];
    change(table);
    assert(before == table[i]); // expect: assertion unsafe
}

void reached(char **table, int i)
{
    char *place = table[i];
    *place = 1;
    change(table);
    assert(*place == 1); // expect: assertion unsafe
}

void other(struct node **table, int i, int j)
{
    table[i]->value = 1;
    table[j]->value = 2;
    assert(table[i]->value == 1); // expect: assertion unsafe
}

void further(struct node **table, unsigned i)
{
    if (table[i]->value == 7)
        assert(table[i]->next->value != 3); // expect: assertion unsafe
}
