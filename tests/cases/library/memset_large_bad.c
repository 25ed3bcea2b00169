#include <assert.h>
#include <string.h>

struct state {
    unsigned before;
    unsigned table[5000];
    const struct state *next;
    unsigned count;
    unsigned after;
};

unsigned cleared(struct state *s)
{
    memset(s, 0, sizeof *s);
    return 10 / s->count; // expect: division-by-zero unsafe
}

unsigned through_null(struct state *s)
{
    memset(s, 0, sizeof *s);
    return s->next->count; // expect: pointer unsafe
}

unsigned kept(struct state *s)
{
    s->before = 0;
    memset(s->table, 1, sizeof s->table);
    return 10 / s->before; // expect: division-by-zero unsafe
}

unsigned across(struct state *s)
{
    memset(s->table, 1, sizeof s->table);
    memset((char *)s + 2, 0, 18000);
    return s->table[4499] / s->table[4498]; // expect: division-by-zero unsafe
}

unsigned char not_so_far(unsigned i)
{
    unsigned char bytes[20000];
    memset(bytes, 3, 19000);
    bytes[19999] = 1;
    if (i >= 20000) {
        return 0;
    }
    return bytes[i]; // expect: uninitialised unsafe
}
