// A member of a struct from outside is handed to functions that write or read more than the struct has.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct part { int kind; char text[8]; };
struct device { int id; char name[16]; struct part parts[3]; struct part last; uint8_t pos, data[32]; };

void copied(struct device *d, const uint8_t *from, uint8_t n) { memcpy(d->data, from, n); } // expect: pointer unsafe
void behind(struct device *d, const uint8_t *from)
{
    if (d->pos < sizeof d->data)
        memcpy(&d->data[d->pos], from, 32); // expect: pointer unsafe
}
void read_from(uint8_t *to, const struct device *d) { memcpy(to, d->data, 40); } // expect: pointer unsafe
void cleared(struct device *d, unsigned n) { memset(d->data, 0, n); } // expect: pointer unsafe
void named(struct device *d, const char *text) { strcpy(d->name, text); } // expect: pointer unsafe
void printed(struct device *d, int n) { sprintf((char *)d->data, "%40d", n); } // expect: pointer unsafe
void filled(struct device *d, FILE *f) { fgets((char *)d->data, 100, f); } // expect: pointer unsafe
void received(struct device *d, int fd) { read(fd, d->data, 1024); } // expect: pointer unsafe
void nested(struct device *d, const char *text) { strncpy(d->last.text, text, 64); } // expect: pointer unsafe
void element(struct device *d, unsigned i, const char *text)
{
    if (i < 3)
        memcpy(d->parts[i].text, text, 9); // expect: pointer unsafe
}
int compared(struct device *d, struct device *e) { return memcmp(d->data, e->data, 40); } // expect: pointer unsafe

static void put(struct device *d, const uint8_t *from, size_t n) { memcpy(d->data, from, n); } // expect: pointer unsafe
void passes(struct device *d, const uint8_t *from) { put(d, from, 64); }
