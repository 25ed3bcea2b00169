/* stdlib.h: arithmetic, searching, sorting; exact. */
#include "vouch.h"

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

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    unsigned char *items = base;
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0; j--) {
            unsigned char *low = items + (j - 1) * size, *high = low + size;
            if (compare(low, high) <= 0) break;
            swap(low, high, size);
        }
}

void qsort_r(void *base, size_t count, size_t size, int (*compare)(const void *, const void *, void *),
             void *context) {
    unsigned char *items = base;
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0; j--) {
            unsigned char *low = items + (j - 1) * size, *high = low + size;
            if (compare(low, high, context) <= 0) break;
            swap(low, high, size);
        }
}

void *bsearch(const void *key, const void *base, size_t count, size_t size,
              int (*compare)(const void *, const void *)) {
    const unsigned char *items = base;
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare(key, items + middle * size);
        if (!order) return (void *)(items + middle * size);
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return NULL;
}

static int error;

int *__errno_location(void) { return &error; }
int *__error(void) { return &error; }
int *_errno(void) { return &error; }
