/* What the models of CUDA's libraries are written in, for a library that runs: demands are noted, pointers are what they
   are. Built with -DAWAY=0 and beside `models/cuda.c`, `models/cublas.c` and `models/cudnn.c`. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static char broken[256];

void __vouch_require(_Bool holds, const char *text) {
    if (!holds && !broken[0]) strncpy(broken, text, sizeof broken - 1);
}
/* The first demand that was not met since the last call of this. */
const char *vouch_broken(void) {
    static char last[sizeof broken];
    memcpy(last, broken, sizeof broken);
    memset(broken, 0, sizeof broken);
    return last;
}
_Bool __vouch_valid(const void *p, size_t n) { return p || n == 0; }
_Bool __vouch_starts(const void *p) { return p != 0; }
_Bool __vouch_together(const void *p, const void *q) { return p == q; }
void *__vouch_beside(const void *p, size_t k) { return 0; }
static _Bool beyond;
void __vouch_unsupported(void) { beyond = 1; }
/* Whether something was not modelled since the last call of this. */
int vouch_beyond(void) {
    int last = beyond;
    beyond = 0;
    return last;
}
void *__vouch_cuda_malloc(size_t n) { return malloc(n); }
void __vouch_cuda_release(void *p) { free(p); }
void __vouch_assume(int c) { (void)c; }
void __vouch_havoc(void *p, size_t n) { memset(p, 0, n); }
int __vouch_nondet_int(void) { return 1; }
_Bool __vouch_nondet_bool(void) { return 0; }
float __vouch_nondet_float(void) { return 0; }
size_t __vouch_nondet_size_t(void) { return 1; }
