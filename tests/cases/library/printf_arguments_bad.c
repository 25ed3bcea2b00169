// A format that asks for a string where there is none.
#include <stdio.h>

void number(void) { printf("%s\n", 5); }    // expect: pointer unsafe
void missing(void) { printf("%d %s\n", 5); } // expect: pointer unsafe
