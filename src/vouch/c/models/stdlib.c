/* stdlib.h: arithmetic, searching, sorting; exact. */
#include "vouch.h"

void *aligned_alloc(size_t, size_t);
void *realloc(void *, size_t);

int abs(int x) { return x < 0 ? -x : x; }
long labs(long x) { return x < 0 ? -x : x; }
long long llabs(long long x) { return x < 0 ? -x : x; }
intmax_t imaxabs(intmax_t x) { return x < 0 ? -x : x; }

typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;

div_t div(int a, int b) { return (div_t){a / b, a % b}; }
ldiv_t ldiv(long a, long b) { return (ldiv_t){a / b, a % b}; }
lldiv_t lldiv(long long a, long long b) { return (lldiv_t){a / b, a % b}; }

static void swap(unsigned char *a, unsigned char *b, size_t size) {
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

/* All elements are there: looked at before any is, so that it does not hang on how far a model follows. */
static void whole(const void *base, size_t count, size_t size) {
    if (size && count > EVERYTHING / size) __vouch_access(base, EVERYTHING, 0); /* no object is as large */
    __vouch_access(base, count * size, 0);
}

/* Sorting is followed step by step for few elements; of more, any order is possible. Any two may be compared, and
   any number of times. */
static _Bool few(size_t count) { return __vouch_constant(count) && count <= 64; }

/* Elements that are equal may end up in any order. */
static _Bool before(int order) { return order < 0 || (order == 0 && __vouch_nondet_bool()); }

static unsigned char *some(unsigned char *items, size_t count, size_t size) {
    size_t at = __vouch_nondet_size_t();
    __vouch_assume(at < count);
    return items + at * size;
}

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    unsigned char *items = base;
    whole(base, count, size);
    if (count < 2) return;
    compare(some(items, count, size), some(items, count, size));
    if (!few(count)) {
        __vouch_repeats((void *)compare);
        __vouch_bytes(items, count * size);
        return;
    }
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0; j--) {
            unsigned char *low = items + (j - 1) * size, *high = low + size;
            if (before(compare(low, high))) break;
            swap(low, high, size);
        }
    __vouch_repeats((void *)compare);
}

void qsort_r(void *base, size_t count, size_t size, int (*compare)(const void *, const void *, void *),
             void *context) {
    unsigned char *items = base;
    whole(base, count, size);
    if (count < 2) return;
    compare(some(items, count, size), some(items, count, size), context);
    if (!few(count)) {
        __vouch_repeats((void *)compare);
        __vouch_bytes(items, count * size);
        return;
    }
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0; j--) {
            unsigned char *low = items + (j - 1) * size, *high = low + size;
            if (before(compare(low, high, context))) break;
            swap(low, high, size);
        }
    __vouch_repeats((void *)compare);
}

void *bsearch(const void *key, const void *base, size_t count, size_t size,
              int (*compare)(const void *, const void *)) {
    unsigned char *items = (unsigned char *)base;
    void *found = NULL;
    whole(base, count, size);
    if (!count) return NULL;
    size_t at = __vouch_nondet_size_t(); /* any of those that are equal may be found */
    __vouch_assume(at < count);
    if (few(count)) {
        for (size_t i = 0; i < count; i++)
            if (!compare(key, items + i * size) && (!found || i == at)) found = items + i * size;
    } else if (!compare(key, items + at * size) && __vouch_nondet_bool()) {
        found = items + at * size;
    }
    __vouch_repeats((void *)compare);
    return found;
}

/* Other files see it: functions without a body may change it. */
int __vouch_errno;

int *__errno_location(void) { return &__vouch_errno; }
int *__error(void) { return &__vouch_errno; }
int *_errno(void) { return &__vouch_errno; }
int *__errno(void) { return &__vouch_errno; }

int posix_memalign(void **out, size_t align, size_t size) {
    if (align % sizeof(void *) || (align & (align - 1)) || !align) return 22; /* EINVAL */
    void *made = aligned_alloc(align, size);
    if (!made) return 12; /* ENOMEM */
    *out = made;
    return 0;
}

/* There is never as much as EVERYTHING: what was there stays. */
void *reallocarray(void *old, size_t count, size_t size) {
    return realloc(old, size && count > EVERYTHING / size ? EVERYTHING : count * size);
}

/* The byte order of networks. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NETWORK(bits, x) __builtin_bswap##bits(x)
#else
#define NETWORK(bits, x) (x)
#endif

__UINT32_TYPE__ htonl(__UINT32_TYPE__ x) { return NETWORK(32, x); }
__UINT32_TYPE__ ntohl(__UINT32_TYPE__ x) { return NETWORK(32, x); }
__UINT16_TYPE__ htons(__UINT16_TYPE__ x) { return NETWORK(16, x); }
__UINT16_TYPE__ ntohs(__UINT16_TYPE__ x) { return NETWORK(16, x); }
