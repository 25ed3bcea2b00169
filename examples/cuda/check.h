/* What the programs share: ending when a call fails, and numbers from outside. */
#ifndef CHECK_H
#define CHECK_H

#include <stdlib.h>

#ifdef __cplusplus
extern "C"
#endif
float __VERIFIER_nondet_float(void);

#define CALL(f)            \
    do {                   \
        if (f) exit(1);    \
    } while (0)

/* A number between the two. */
static inline float between(float low, float high) {
    float x = __VERIFIER_nondet_float();
    if (!(x >= low && x <= high)) exit(0);
    return x;
}

#ifndef DEFECT
#define DEFECT 0
#endif

#endif
