// Pointers of another type are not found there, and neither is one in a variable that nobody else knows.
#include <stddef.h>
struct box { int *held[2]; int x; };
struct way { short **slot; };
struct box shared;
static int *own;
int before(short **slot)
{
    shared.held[1] = NULL;
    return **slot;
}
int after(const struct way *way)
{
    shared.held[1] = NULL;
    return **way->slot;
}
int hidden(int **slot)
{
    own = NULL;
    return **slot + (own == NULL ? 0 : 1); // maybe: signed-overflow safe
}
