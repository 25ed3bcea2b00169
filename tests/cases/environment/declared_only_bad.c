// A pointer from outside may lead to a variable that another file defines, and that file may write it.
#include <assert.h>
struct pair { int first, second; };
extern int table[];
extern struct pair both;
extern void told(const char *text);
int *somewhere(void) { return table + both.first; }

int kept(const int *p)
{
    int before = *p;
    told("x");
    assert(before == *p); // expect: assertion unsafe
    return 0;
}
