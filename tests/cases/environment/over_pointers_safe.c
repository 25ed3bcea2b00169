// Numbers beside a pointer leave it as it is, and so do bytes of what holds none.
#include <stdint.h>

struct part { short low, high; };
struct state { int *data; int count; char name[8]; struct part parts[3]; };
union number { unsigned whole; uint8_t bytes[4]; };

static void wipe(unsigned char *at, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        at[i] = 0;
}

int beside(struct state *s, uint8_t *buffer, unsigned n)
{
    for (unsigned i = 0; i < n && i < sizeof s->name; i++) {
        s->name[i] = 0;
        s->parts[i % 3].low = 1;
        s->count = 2;
        buffer[i] = 3;
    }
    return *s->data;
}
int bytes_of_numbers(struct state *s, union number *number, struct part *part)
{
    number->bytes[1] = 7;
    wipe((unsigned char *)part, sizeof *part);
    wipe((unsigned char *)s->name, sizeof s->name);
    return *s->data;
}
