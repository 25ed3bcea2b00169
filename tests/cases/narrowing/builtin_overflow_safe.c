// What a builtin compares with the whole result is not a conversion of the program's.
#include <assert.h>

int sum(int a, unsigned b) {
    short r;
    return __builtin_add_overflow(a, b, &r) ? -1 : r;
}
