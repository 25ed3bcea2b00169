// What stays in the struct, structs that may be followed by more, variables that get something else, own memory.
#include <stdint.h>
#include <string.h>

struct part { short values[4]; int kind; };
struct device { uint8_t id, data[16]; struct part *part; struct part parts[3]; };
struct packet { uint8_t length, data[]; };
struct old { uint8_t length, data[1]; };

void written(struct device *d, const uint8_t *from, unsigned n)
{
    uint8_t *data = d->data;
    for (unsigned i = 0; i < n && i < sizeof d->data; i++)
        data[i] = from[i];
}
int across(const struct device *d, unsigned i)
{
    const short *values = d->parts[1].values;
    return i < 10 ? values[i] : 0;
}
int next(const struct device *d, unsigned i)
{
    const uint8_t *data = d[1].data;
    return i < 16 ? data[i] : 0;
}
int flexible(const struct packet *p, const struct old *o, uint8_t i)
{
    const uint8_t *data = p->data, *rest = o->data;
    return data[i] + rest[i];
}
int either(const struct device *d, const uint8_t *other, unsigned i)
{
    const uint8_t *data = d->data;
    if (i >= sizeof d->data)
        data = other;
    return data[i];
}
int own(unsigned i)
{
    struct device d[2];
    memset(d, 0, sizeof d);
    uint8_t *data = d[0].data;
    return data[i % (sizeof d - 1)];
}
void copied(struct device *d, const uint8_t *from, unsigned n)
{
    uint8_t *data = d->data;
    if (n <= sizeof d->data)
        memcpy(data, from, n);
}
