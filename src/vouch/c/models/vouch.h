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
 *   __vouch_text(p, n)   n characters at p that the model does not work out, none of them zero.
 *   __vouch_bytes(p, n)  n bytes at p that the model does not work out.
 *   __vouch_constant(n)  whether the engine knows the number n.
 *   __vouch_note(s, n)   traces show that what the literal s names is n.
 *   __vouch_repeats(f)   the function f may be called any number of times more.
 *   __vouch_unsupported()  what happens now is not modelled: nothing behind it is proved.
 *   __vouch_require(c, text)  a demand on the caller: a check at the call of the model, violated where c is 0. The text is a
 *                          literal.
 *   __vouch_valid(p, n)  whether n bytes at p belong to a live object.
 *   __vouch_together(p, q)  whether p and q point into the same object.
 *   __vouch_starts(p)    whether p is the start of a live object of the heap.
 *   __vouch_beside(p, k) a place for k bytes about each byte of p's object, zero at first; null where p leads nowhere.
 *
 * These look at memory without a loop, in units of `size` bytes, and access no more than they say:
 *
 *   __vouch_access(p, n, write)              n bytes at p must be accessible.
 *   __vouch_apart(to, from, n)               n bytes at each share none, as memcpy asks, and are not the same either.
 *   __vouch_length(s, limit, size)           units before the first zero; at most `limit` are looked at.
 *   __vouch_find(p, c, limit, size, string)  the place of the first unit c before `limit` and, for a `string`, up to its
 *                                            end; NOWHERE for none.
 *   __vouch_find_last(p, c, n, size)         the place of the last of n units that is c; NOWHERE for none.
 *   __vouch_span(s, set, in)                 characters of s before its end and before the first that is not in the set
 *                                            (`in` 0: that is in it).
 *   __vouch_compare(a, b, limit, size, string, fold)  the difference of the first units that differ, 0 for none;
 *                                            with `fold` capital letters count as small ones.
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
#define EVERYTHING ((size_t)-1) /* no limit */
#define NOWHERE ((size_t)-1)

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
void __vouch_text(char *, size_t);
void __vouch_bytes(void *, size_t);
_Bool __vouch_constant(size_t);
void __vouch_note(const char *, unsigned);
void __vouch_repeats(void *);
void __vouch_unsupported(void);
void __vouch_require(_Bool, const char *);
_Bool __vouch_valid(const void *, size_t);
_Bool __vouch_starts(const void *);
_Bool __vouch_together(const void *, const void *);
void *__vouch_beside(const void *, size_t);
void __vouch_access(const void *, size_t, int write);
void __vouch_apart(const void *to, const void *from, size_t);
size_t __vouch_length(const void *, size_t limit, int size);
size_t __vouch_find(const void *, int c, size_t limit, int size, int string);
size_t __vouch_find_last(const void *, int c, size_t n, int size);
size_t __vouch_span(const char *, const char *set, int in);
int __vouch_compare(const void *, const void *, size_t limit, int size, int string, int fold);

void *malloc(size_t);
void free(void *);
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);

size_t strlen(const char *);
int tolower(int);

/* Text that must not be copied to where it is. */
static inline void *__vouch_copy_text(void *to, const void *from, size_t n) {
    __vouch_apart(to, from, n);
    return memcpy(to, from, n);
}

/* Reading one byte is how a model says that it needs a valid pointer. */
static inline void __vouch_touch(const void *p) {
    char byte = *(const char *)p;
    (void)byte;
}

#endif
