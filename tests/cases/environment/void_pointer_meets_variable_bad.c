// A pointer to void in a variable, or handed over, may lead to any variable whose address is out.
#include <assert.h>

struct reading { int raw; };
static struct reading last;
static int count;
int level;
void *to_struct = &last;
void *to_count = &count;
void *to_level = &level;

void by_struct(void) { assert(to_struct != (void *)&last); } // expect: assertion unsafe
void by_count(void) { assert(to_count != &count); } // expect: assertion unsafe
void by_level(void) { assert(to_level != &level); } // expect: assertion unsafe
void handed(void *p) { assert(p != &level); } // expect: assertion unsafe
void given(const void *p)
{
    last.raw = 1;
    level = 2;
    assert(*(const int *)p != 2); // expect: assertion unsafe
}
int *where(void) { return &last.raw; }
