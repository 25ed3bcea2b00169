/* wchar.h: exact, but for what is looked for in sets of characters and without regard to their case. */
#include "vouch.h"

#define WIDE ((int)sizeof(wchar_t))

size_t wcslen(const wchar_t *s) { return __vouch_length(s, EVERYTHING, WIDE); }
size_t wcsnlen(const wchar_t *s, size_t limit) { return __vouch_length(s, limit, WIDE); }

/* Bytes of n characters; no object has as many as where that cannot be told. */
static size_t bytes(size_t n) { return n > EVERYTHING / sizeof(wchar_t) ? EVERYTHING : n * sizeof(wchar_t); }

static wchar_t *fill(wchar_t *memory, wchar_t c, size_t n) {
    for (size_t i = 0; i < n; i++) memory[i] = c;
    return memory;
}

wchar_t *wcscpy(wchar_t *to, const wchar_t *from) {
    return __vouch_copy_text(to, from, (wcslen(from) + 1) * sizeof *to);
}

wchar_t *wcsncpy(wchar_t *to, const wchar_t *from, size_t size) {
    size_t n = wcsnlen(from, size);
    __vouch_copy_text(to, from, n * sizeof *to);
    memset(to + n, 0, bytes(size - n));
    return to;
}

wchar_t *wcpcpy(wchar_t *to, const wchar_t *from) {
    wcscpy(to, from);
    return to + wcslen(to);
}

wchar_t *wcpncpy(wchar_t *to, const wchar_t *from, size_t size) {
    wcsncpy(to, from, size);
    return to + wcsnlen(to, size);
}

wchar_t *wcscat(wchar_t *to, const wchar_t *from) {
    wcscpy(to + wcslen(to), from);
    return to;
}

wchar_t *wcsncat(wchar_t *to, const wchar_t *from, size_t size) {
    size_t at = wcslen(to), n = wcsnlen(from, size);
    memcpy(to + at, from, n * sizeof *to);
    to[at + n] = 0;
    return to;
}

/* Of the result only the sign is told. */
static int order(int difference) {
    if (!difference) return 0;
    int some = __vouch_nondet_int();
    __vouch_assume(difference < 0 ? some < 0 : some > 0);
    return some;
}

int wcscmp(const wchar_t *a, const wchar_t *b) { return order(__vouch_compare(a, b, EVERYTHING, WIDE, 1, 0)); }
int wcsncmp(const wchar_t *a, const wchar_t *b, size_t n) { return order(__vouch_compare(a, b, n, WIDE, 1, 0)); }

wchar_t *wcschr(const wchar_t *s, wchar_t c) {
    size_t at = __vouch_find(s, (int)c, EVERYTHING, WIDE, 1);
    return at == NOWHERE ? NULL : (wchar_t *)s + at;
}

wchar_t *wcsrchr(const wchar_t *s, wchar_t c) {
    size_t at = __vouch_find_last(s, (int)c, wcslen(s) + 1, WIDE);
    return at == NOWHERE ? NULL : (wchar_t *)s + at;
}

wchar_t *wcsdup(const wchar_t *s) {
    size_t n = (wcslen(s) + 1) * sizeof *s;
    wchar_t *copy = malloc(n);
    if (copy) memcpy(copy, s, n);
    return copy;
}

wchar_t *wmemcpy(wchar_t *to, const wchar_t *from, size_t n) {
    return memcpy(to, from, bytes(n));
}

wchar_t *wmemmove(wchar_t *to, const wchar_t *from, size_t n) {
    void *memmove(void *, const void *, size_t);
    return memmove(to, from, bytes(n));
}

wchar_t *wmemset(wchar_t *memory, wchar_t c, size_t n) {
    __vouch_access(memory, bytes(n), 1);
    return fill(memory, c, n);
}

wchar_t *wmemchr(const wchar_t *memory, wchar_t c, size_t n) {
    size_t at = __vouch_find(memory, (int)c, n, WIDE, 0);
    return at == NOWHERE ? NULL : (wchar_t *)memory + at;
}

int wmemcmp(const wchar_t *a, const wchar_t *b, size_t n) {
    __vouch_access(a, bytes(n), 0);
    __vouch_access(b, bytes(n), 0);
    return order(__vouch_compare(a, b, n, WIDE, 0, 0));
}

/* Some place in s before its end, or the end. */
static size_t somewhere(const wchar_t *s) {
    size_t n = __vouch_any_size_t();
    __vouch_assume(n <= wcslen(s));
    return n;
}

size_t wcsspn(const wchar_t *s, const wchar_t *set) {
    wcslen(set);
    return somewhere(s);
}

size_t wcscspn(const wchar_t *s, const wchar_t *set) { return wcsspn(s, set); }

wchar_t *wcspbrk(const wchar_t *s, const wchar_t *set) {
    size_t at = wcsspn(s, set);
    return s[at] ? (wchar_t *)s + at : NULL;
}

wchar_t *wcsstr(const wchar_t *s, const wchar_t *part) {
    size_t at = somewhere(s), n = wcslen(part);
    if (__vouch_any_bool()) {
        __vouch_assume(n != 0);
        return NULL;
    }
    __vouch_assume(n <= wcslen(s) - at);
    return (wchar_t *)s + at;
}

static int some_order(const wchar_t *a, const wchar_t *b) {
    int some = __vouch_any_int();
    if (!__vouch_compare(a, b, EVERYTHING, WIDE, 1, 0)) return 0;
    return some;
}

int wcscasecmp(const wchar_t *a, const wchar_t *b) { return some_order(a, b); }
int wcscoll(const wchar_t *a, const wchar_t *b) { return some_order(a, b); }

int wcsncasecmp(const wchar_t *a, const wchar_t *b, size_t n) {
    int some = __vouch_any_int();
    if (!__vouch_compare(a, b, n, WIDE, 1, 0)) return 0;
    return some;
}
