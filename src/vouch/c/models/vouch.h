/* What models of library functions are written in.
 *
 * A model is ordinary C that does to memory what the library's function may do: it reads and writes exactly
 * the bytes the real one would, so that the engine can report a bad access at the call of the model. Models
 * are compiled for the program's target, without instrumentation and without the C library's headers (which
 * rename functions), and only those are linked that the program declares and does not define.
 *
 *   __vouch_nondet_T()   data that comes from outside: input, time, chance.
 *   __vouch_any_T()      a result that the model does not work out, within the bounds assumed on it.
 *   __vouch_assume(c)    executions in which c is 0 do not exist.
 *   __vouch_havoc(p, n)  n bytes of input at p.
 *   __vouch_object_size(p)  bytes from p to the end of its object.
 *   __vouch_sets_errno()  errno holds anything from now on.
 *   __vouch_known(s)     whether the engine knows every character of the string s.
 *
 * malloc, calloc, realloc, free, memcpy, memmove, memset, abort, exit and assert are the engine's own.
 */
#ifndef VOUCH_H
#define VOUCH_H

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ssize_t;
typedef __WCHAR_TYPE__ wchar_t;
typedef __INTMAX_TYPE__ intmax_t;
typedef __UINTMAX_TYPE__ uintmax_t;

#define NULL ((void *)0)
#define EOF (-1)
#define CHAR_MASK 255

_Bool __vouch_nondet_bool(void);
char __vouch_nondet_char(void);
unsigned char __vouch_nondet_uchar(void);
short __vouch_nondet_short(void);
int __vouch_nondet_int(void);
unsigned __vouch_nondet_uint(void);
long __vouch_nondet_long(void);
unsigned long __vouch_nondet_ulong(void);
long long __vouch_nondet_llong(void);
unsigned long long __vouch_nondet_ullong(void);
size_t __vouch_nondet_size_t(void);
ssize_t __vouch_nondet_ssize_t(void);
float __vouch_nondet_float(void);
double __vouch_nondet_double(void);
long double __vouch_nondet_ldouble(void);
void *__vouch_nondet_ptr(void);

_Bool __vouch_any_bool(void);
int __vouch_any_int(void);
long __vouch_any_long(void);
long long __vouch_any_llong(void);
size_t __vouch_any_size_t(void);
float __vouch_any_float(void);
double __vouch_any_double(void);
long double __vouch_any_ldouble(void);

void __vouch_assume(int);
void __vouch_havoc(void *, size_t);
size_t __vouch_object_size(const void *);
_Bool __vouch_known(const char *);
void __vouch_sets_errno(void);

void *malloc(size_t);
void free(void *);
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);

size_t strlen(const char *);
int tolower(int);

/* Reading one byte is how a model says that it needs a valid pointer. */
static inline void __vouch_touch(const void *p) {
    char byte = *(const char *)p;
    (void)byte;
}

#endif
