// Variables of the file that nobody writes hold what they began with, null pointers too.
typedef int (*handler)(int);
static int doubled(int x) { return x > 0 && x < 1000 ? 2 * x : 0; }
static handler handlers[2] = {doubled, 0};
static handler none;
static int numbers[2] = {1, 2};
static int *places[2] = {&numbers[0], 0};

int from_table(unsigned i) { return handlers[i & 1](3); } // expect: pointer unsafe
int from_nowhere(void) { return none(3); }                // expect: pointer unsafe
int read(unsigned i) { return *places[i & 1]; }           // expect: pointer unsafe
