/* clang's elementwise functions, for compilers that have none. */
#ifndef __clang__
#include <math.h>
#define __builtin_elementwise_sqrt(x) _Generic((x), float: sqrtf, default: sqrt)(x)
#define __builtin_elementwise_abs(x) _Generic((x), float: fabsf, default: fabs)(x)
#endif
