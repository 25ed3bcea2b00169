// Copies whose places the program makes lie apart, or that come from outside, where they are taken to.
#include <stddef.h>
#include <string.h>

struct device { char *rx, *tx; };
char shared[20];

static void passed(char *to, const char *from, size_t n) { memcpy(to, from, n); }
void passes(void) { char s[10] = "abcdefghi"; passed(s + 5, s, 5); }

static void text(char *to, const char *from) { strcpy(to, from); }
void texts(void) { char s[10] = "abc", t[10]; text(t, s); }

static void handed(char *to, const char *from, size_t n) { memcpy(to, from, n); }
void hands(char *p) { handed(p, p + 10, 10); }

void outside(char *to, const char *from, size_t n) { memcpy(to, from, n); }
void restricted(char *restrict to, const char *restrict from, size_t n) { memcpy(to, from, n); }
void global(const char *from) { memcpy(shared, from, 8); }
void found(struct device *d) { memcpy(d->rx, d->tx, 4); }
void assigned(struct device *d, struct device *e) { *d = *e; }

void through(char *p)
{
    char t[4];
    memcpy(t, p, 4);
    memcpy(p + 1, t, 4);
}
