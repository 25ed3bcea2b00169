// A variable that another file defines is accessed as what it is: no int lies in it.
#include <assert.h>
#include <stdio.h>
extern long total;
extern double mean;
extern void told(const char *text);
long *somewhere(void) { return &total; }

int kept(const int *p)
{
    int before = *p;
    told("x");
    fputs("x", stderr);
    mean = 1.5;
    assert(before == *p);
    return 0;
}
