// Variables of the file: one that nobody writes is a constant; those that somebody sets, or that lie in a
// section of their own, hold valid pointers when they are used.
typedef int (*handler)(int);
static int doubled(int x) { return x > 0 && x < 1000 ? 2 * x : 0; }
static handler handlers[2] = {doubled, doubled};
static int divisors[4] = {1, 2, 3, 4};
static handler set, *lent = &set;
__attribute__((section(".config"))) static int *configured;

int from_table(unsigned i) { return handlers[i & 1](3); }
int divided(int x, unsigned i) { return x / divisors[i & 3]; }
void choose(handler h) { set = h; }
int chosen(void) { return set(3); }
handler *address(void) { return lent; }
int read(void) { return *configured; }
