// Copies whose places the program itself makes overlap, however they come to the function that copies.
#include <stddef.h>
#include <string.h>

struct device { char *rx, *tx; };
char shared[20];

static void passed(char *to, const char *from, size_t n) { memcpy(to, from, n); } // expect: pointer unsafe
void passes(void) { char s[10] = "abcdefghi"; passed(s + 1, s, 5); }

static void handed(char *to, const char *from, size_t n) { memcpy(to, from, n); } // expect: pointer unsafe
void hands(char *p) { handed(p, p + 1, 10); }

static void text(char *to, const char *from) { strcpy(to, from); } // expect: pointer unsafe
void texts(void) { char s[10] = "abc"; text(s + 1, s); }

static void global(const char *from) { memcpy(shared, from, 8); } // expect: pointer unsafe
void globals(void) { global(shared + 4); }

void moved(char *p) { memcpy(p, p + 1, 10); } // expect: pointer unsafe
void found(struct device *d) { memcpy(d->rx, d->rx + 2, 4); } // expect: pointer unsafe

static void join(struct device *d, char *p) { d->rx = p; d->tx = p + 1; }
void stored(struct device *d, char *p)
{
    join(d, p);
    memcpy(d->rx, d->tx, 4); // expect: pointer unsafe
}

void either(char *p, char *q, int c)
{
    char *r = c ? p : q;
    memcpy(r, p + 1, 4); // expect: pointer unsafe
}
