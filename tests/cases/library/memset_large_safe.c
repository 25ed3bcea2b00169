// A memset of many bytes is known byte by byte, and leaves what lies beside it.
#include <assert.h>
#include <string.h>

struct state {
    unsigned before;
    unsigned table[5000];
    const struct state *next;
    unsigned count;
    unsigned after;
};

int cleared(struct state *s)
{
    s->before = 5;
    s->after = 7;
    memset(s->table, 0, sizeof *s - sizeof s->before - sizeof s->after);
    assert(s->before == 5 && s->after == 7);
    if (s->next) {
        return (int)s->next->count;
    }
    return 10 / (1 + (int)s->count);
}

unsigned filled(unsigned i)
{
    static unsigned char bytes[20000];
    memset(bytes + 1, 3, 19000);
    bytes[0] = 1;
    if (i < 1 || i > 19000) {
        return 0;
    }
    assert(bytes[19000] == 3 && bytes[0] == 1);
    assert(bytes[i] == 3);
    return 100u / bytes[i];
}

unsigned written_over(struct state *s)
{
    memset(s, 0, sizeof *s);
    s->table[4000] = 2;
    return 100u / s->table[4000];
}

unsigned across(struct state *s)
{
    memset(s->table, 1, sizeof s->table);
    memset((char *)s + 2, 0, 18000);
    assert(s->table[4498] == 0 && s->table[4500] == 0x01010101);
    return 100 / s->table[4499];
}
