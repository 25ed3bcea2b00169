// An atomic operation wraps; what is added to it is no conversion.
#include <stdint.h>
static _Atomic uint8_t level;
void change(int by) { level += by; }
