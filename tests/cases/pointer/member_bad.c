// The address of a member of what a null pointer points to (C11 6.5.3.2p4): nothing is accessed, and yet it is no
// address of anything.
#include <stddef.h>
struct device { int id; int data[4]; struct { short low, high; } range; };
static struct device only;
static struct device *find(int id) { return id == 1 ? &only : NULL; }
static int *first(int *values) { return values; }
int *data(int id) { return find(id)->data; } // expect: pointer unsafe
int *passed(int id) { return first(&find(id)->data[2]); } // expect: pointer unsafe
short *nested(int id) { return &find(id)->range.high; } // expect: pointer unsafe
int compared(int id, const int *other) { return &find(id)->id == other; } // expect: pointer unsafe
