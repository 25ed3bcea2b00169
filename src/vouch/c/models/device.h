/* Memory of the device, for the models of CUDA's libraries.
 *
 * A pointer that cudaMalloc hands out lies `AWAY` behind the object that holds the data, so that whoever uses it on the
 * host accesses no object at all. Models, and kernels when they are launched, take the way back; a pointer of
 * the host that gets there by mistake leads to no object either.
 *
 * REQUIRE(c, text, status) is a demand of the interface on its caller: c is a check at the call of the model, with
 * this text as its message. Where it does not hold the function returns the status, as the real one would or
 * might, and has done nothing.
 */
#ifndef VOUCH_DEVICE_H
#define VOUCH_DEVICE_H

#include "vouch.h"

#ifndef AWAY
#define AWAY (sizeof(void *) == 8 ? (size_t)1 << 46 : (size_t)1 << 30)
#endif

#define REQUIRE(c, text, status)          \
    do {                                  \
        _Bool holds_ = (c);               \
        __vouch_require(holds_, text);    \
        if (!holds_) return (status);     \
    } while (0)

/* Where the models read and write what `p`, a pointer of the device, stands for. */
void *__vouch_cuda_here(const void *p);
/* Whether `p` leads to `n` bytes of the device. */
_Bool __vouch_cuda_has(const void *p, size_t n);

/* The bytes from the first to the last of n things that lie `step` apart, each of `size` bytes. */
static inline size_t extent(long long n, long long step, size_t size) {
    return n <= 0 ? 0 : ((size_t)(n - 1) * (size_t)(step < 0 ? -step : step) + 1) * size;
}

/* Rows of `rows` numbers of `size` bytes, `ld` numbers apart: a matrix, or a vector. Its first byte is `at`. */
struct region { const char *at; long long rows, columns, ld; };

static inline struct region region(const void *p, long long rows, long long columns, long long ld) {
    return (struct region){__vouch_cuda_here(p), rows, columns, ld};
}

/* Whether no number of one region is one of the other: what is written may be read by another thread of the device at
   any time. Regions with different steps that lie within each other are not told apart. */
static inline _Bool apart(struct region a, struct region b, size_t size) {
    if (!__vouch_together(a.at, b.at)) return 1;
    const long long unit = (long long)size, between = b.at - a.at;
    const long long first = (a.columns - 1) * a.ld + a.rows, second = (b.columns - 1) * b.ld + b.rows;
    if (between >= first * unit || -between >= second * unit) return 1;
    if ((a.columns == 1 || a.rows == a.ld) && (b.columns == 1 || b.rows == b.ld)) return 0;
    if (between == 0) return 0;
    if (a.ld != b.ld || between % unit) __vouch_unsupported();
    const long long shift = (between / unit % a.ld + a.ld) % a.ld; /* b's row in a column of a */
    return shift >= a.rows && shift + b.rows <= a.ld;
}

#endif
