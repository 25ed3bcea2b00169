// Numbers that are stored where a pointer lies leave none: the bytes of a struct, a union, what is read from a file.
#include <stdint.h>
#include <stdio.h>

struct state { int *data; int count; };
struct view { uint8_t *at; unsigned n; };
union cell { int number; int *data; };
union raw { struct state state; uint8_t bytes[sizeof(struct state)]; };

static int level;
static struct state kept = {&level, 1};

static void wipe(unsigned char *at, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        at[i] = 0;
}
static void clear(void *memory, unsigned n)
{
    unsigned char *at = memory;
    while (n-- > 0)
        *at++ = 0;
}
static void fill(struct view *view)
{
    for (unsigned i = 0; i < view->n; i++)
        view->at[i] = 0;
}
static void zero(uint64_t *at) { *at = 0; }

int wiped(struct state *s)
{
    wipe((unsigned char *)s, sizeof *s);
    return *s->data; // expect: pointer unsafe
}
int cleared(struct state *s)
{
    clear(s, sizeof *s);
    return *s->data; // expect: pointer unsafe
}
int on_the_spot(struct state *s)
{
    for (unsigned i = 0; i < sizeof *s; i++)
        ((char *)s)[i] = 0;
    return *s->data; // expect: pointer unsafe
}
int viewed(struct state *s)
{
    struct view view = {(uint8_t *)s, sizeof *s};
    fill(&view);
    return *s->data; // expect: pointer unsafe
}
int member(struct state *s)
{
    zero((uint64_t *)&s->data);
    return *s->data; // expect: pointer unsafe
}
int shared(union cell *c)
{
    c->number = 0;
    return *c->data; // expect: pointer unsafe
}
int bytes(union raw *raw)
{
    for (unsigned i = 0; i < sizeof raw->bytes; i++)
        raw->bytes[i] = 0;
    return *raw->state.data; // expect: pointer unsafe
}
int read_in(FILE *file)
{
    if (fread(&kept, sizeof kept, 1, file) != 1)
        return 0;
    return *kept.data; // expect: pointer unsafe
}
