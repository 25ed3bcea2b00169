#include <stddef.h>
struct device { int id; int data[4]; struct { short low, high; } range; };
static struct device only;
static struct device *find(int id) { return id == 1 ? &only : NULL; }
static int *first(int *values) { return values; }
int *data(int id) { struct device *found = find(id); return found ? found->data : NULL; }
int *passed(struct device *given) { return first(&given->data[2]); }
short *nested(void) { return &find(1)->range.high; }
size_t place(void) { return offsetof(struct device, range.high); }
