// options: --checks cast
// Casts of what the compiler does not say the sign of: calls through pointers, conditions of constants.
#include <stdint.h>

extern unsigned (*source)(void);

int16_t called(void) { return (int16_t)source(); } // expect: cast unsafe
int16_t chosen(int c) { return (int16_t)(c ? sizeof c : 0xffffffffffffffffu); } // expect: cast unknown sign
int16_t twice(uint64_t a) { return (int16_t)(uint32_t)a; } // expect: cast unsafe; cast unsafe
