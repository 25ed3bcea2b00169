// options: --checks cast
#include <stdint.h>

extern unsigned (*source)(void);

int16_t called(void)
{
    unsigned found = source();
    return found < 100 ? (int16_t)found : (int16_t)0;
}

int16_t chosen(int c) { return (int16_t)(c ? sizeof c : 9u); }
int16_t twice(long v) { return v < 0 && v > -9 ? (int16_t)(int)v : (int16_t)0; }
