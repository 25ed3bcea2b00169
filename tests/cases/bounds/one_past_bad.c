// An element is accessed one past the end of an array in a struct: the compiler's own check lets the index pass
// wherever it takes the subscript for an address, though what lies there is read or written.
#include <stdint.h>
#include <string.h>

struct sample { int a, b; };
struct ring {
    struct sample entries[8];
    unsigned counts[4];
    double _Complex values[4];
    int rest[16];
};

static int sum(struct sample s) { return s.a ^ s.b; }

int copied(const struct ring *r, unsigned n)
{
    if (n > 8) return 0;
    const struct sample copy = r->entries[n]; // expect: bounds unsafe
    return copy.a;
}
void assigned(struct ring *r, unsigned n, const struct sample *s)
{
    if (n <= 8) r->entries[n] = *s; // expect: bounds unsafe
}
struct sample returned(const struct ring *r, unsigned n) { return r->entries[n]; } // expect: bounds unsafe
int passed(const struct ring *r, uint8_t n) { return n <= 8 ? sum(r->entries[n]) : 0; } // expect: bounds unsafe
void counted(struct ring *r, uint8_t n) { if (n <= 4) r->counts[n]++; } // expect: bounds unsafe
void counted_down(struct ring *r, uint8_t n) { if (n <= 4) --r->counts[n]; } // expect: bounds unsafe
void constant(struct ring *r) { r->counts[4]++; } // expect: bounds unsafe
void complex_set(struct ring *r, uint8_t n) { if (n <= 4) r->values[n] = 1.0; } // expect: bounds unsafe
double complex_part(struct ring *r, uint8_t n) { return n <= 4 ? __real__ r->values[n] : 0; } // expect: bounds unsafe
unsigned atomic(struct ring *r, uint8_t n)
{
    return n <= 4 ? __atomic_fetch_or(&r->counts[n], 1u, __ATOMIC_SEQ_CST) : 0u; // expect: bounds unsafe
}
unsigned back_and_forth(const struct ring *r, uint8_t n) { return n <= 4 ? *&r->counts[n] : 0u; } // expect: bounds unsafe
int arrow(const struct ring *r, uint8_t n) { return n <= 8 ? (&r->entries[n])->b : 0; } // expect: bounds unsafe
void bytes(struct ring *r, uint8_t n, const unsigned *from)
{
    if (n <= 4) memcpy(&r->counts[n], from, sizeof *from); // expect: bounds unsafe
}
int local(uint8_t n)
{
    unsigned held[4] = {0};
    if (n <= 4) held[n]++; // expect: bounds unsafe
    return held[0] > 0u;
}
