// What steps on from a member whose address is kept in a variable has the struct around it and no more.
#include <stdint.h>
#include <string.h>

struct part { short values[4]; int kind; };
struct device { uint8_t id, data[16]; struct part *part; struct part parts[3]; };

void written(struct device *d, const uint8_t *from, unsigned n)
{
    uint8_t *data = d->data;
    for (unsigned i = 0; i < n; i++)
        data[i] = from[i]; // expect: pointer unsafe
}
int read_behind(const struct device *d, unsigned i)
{
    const short *values = d->part->values;
    return i < 8 ? values[i] : 0; // expect: pointer unsafe
}
int before(const struct device *d, int i)
{
    const uint8_t *data = d->data;
    return i > -3 && i < 16 ? data[i] : 0; // expect: pointer unsafe
}
void copied(struct device *d, const uint8_t *from, unsigned n)
{
    uint8_t *data = d->data;
    if (n < 100)
        memcpy(data, from, n); // expect: pointer unsafe
}
