// One past the end is an address like others, as long as nothing is accessed there.
#include <stdint.h>
#include <string.h>

struct sample { int a, b; };
struct ring {
    struct sample entries[8];
    unsigned counts[4];
    int rest[16];
};

int copied(const struct ring *r, unsigned n)
{
    if (n >= 8) return 0;
    const struct sample copy = r->entries[n];
    return copy.a;
}
void counted(struct ring *r, uint8_t n) { if (n < 4) r->counts[n]++; }
const unsigned *end(const struct ring *r) { return &r->counts[4]; }
const unsigned *some(const struct ring *r, uint8_t n) { return n <= 4 ? &r->counts[n] : 0; }
unsigned last(const struct ring *r) { return (&r->counts[4])[-1]; }
unsigned before(const struct ring *r, uint8_t n) { return n > 0 && n <= 4 ? *(&r->counts[n] - 1) : 0u; }
unsigned all(const struct ring *r)
{
    unsigned found = 0;
    for (const unsigned *p = r->counts; p != &r->counts[4]; p++) found |= *p;
    return found;
}
void nothing(struct ring *r, uint8_t n, const unsigned *from)
{
    if (n <= 4) memcpy(&r->counts[n], from, (4u - n) * sizeof *from);
}
