// What stays in the struct around a member, structs that may be followed by more, and pointers to whole structs.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct part { int kind; char text[8]; };
struct device { int id; char name[16]; struct part parts[3]; struct part last; uint8_t pos, data[32]; };
struct packet { uint8_t length, data[]; };
struct old { uint8_t length, data[1]; };

void copied(struct device *d, const uint8_t *from, uint8_t n)
{
    if (n <= sizeof d->data)
        memcpy(d->data, from, n);
}
void behind(struct device *d, const uint8_t *from, uint8_t n)
{
    if (d->pos < sizeof d->data && n <= sizeof d->data - d->pos)
        memcpy(&d->data[d->pos], from, n);
}
void across(struct device *d) { memset(d->name, 0, sizeof d->name + sizeof d->parts); }
void named(struct device *d, const char *text) { snprintf(d->name, sizeof d->name, "%s", text); }
size_t text(const struct device *d) { return strlen(d->name) + (size_t)(strcmp(d->name, "x") == 0); }
void element(struct device *d, unsigned i, const char *text)
{
    if (i < 3)
        memcpy(d->parts[i].text, text, 8);
}
void flexible(struct packet *p, const uint8_t *from) { memcpy(p->data, from, p->length); }
void stands_for_one(struct old *p, const uint8_t *from) { memcpy(p->data, from, p->length); }
void many(struct device *d, const struct device *from, unsigned n) { memcpy(d, from, (n & 15) * sizeof *d); }
void next(struct device *d) { memset(d[1].name, 0, sizeof d->name); }
void own(const uint8_t *from)
{
    struct device d;
    memcpy(d.data, from, sizeof d.data);
}
