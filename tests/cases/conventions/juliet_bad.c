// Juliet: good and bad variants in one file, chosen by macros.
// options: -D OMITGOOD
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static void printIntLine(int x)
{
    printf("%d\n", x);
}

#ifndef OMITBAD
void CWE190_bad(void)
{
    int data = 0;
    data = rand();
    {
        int result = data + 1; // expect: signed-overflow unsafe
        printIntLine(result);
    }
}
#endif

#ifndef OMITGOOD
static void goodG2B(void)
{
    int data = 2;
    int result = data + 1;
    printIntLine(result);
}

static void goodB2G(void)
{
    int data = rand();
    if (data < INT_MAX) {
        int result = data + 1;
        printIntLine(result);
    } else {
        puts("data value is too large");
    }
}

void CWE190_good(void)
{
    goodG2B();
    goodB2G();
}
#endif

int main(int argc, char *argv[])
{
#ifndef OMITGOOD
    CWE190_good();
#endif
#ifndef OMITBAD
    CWE190_bad();
#endif
    return 0;
}
