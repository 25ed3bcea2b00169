/* wchar.h: exact. */
#include "vouch.h"

size_t wcslen(const wchar_t *s) {
    size_t n = 0;
    while (s[n]) n++;
    return n;
}

size_t wcsnlen(const wchar_t *s, size_t limit) {
    size_t n = 0;
    while (n < limit && s[n]) n++;
    return n;
}

wchar_t *wcscpy(wchar_t *to, const wchar_t *from) {
    size_t i = 0;
    while ((to[i] = from[i])) i++;
    return to;
}

wchar_t *wcsncpy(wchar_t *to, const wchar_t *from, size_t n) {
    size_t i = 0;
    for (; i < n && from[i]; i++) to[i] = from[i];
    for (; i < n; i++) to[i] = 0;
    return to;
}

wchar_t *wcscat(wchar_t *to, const wchar_t *from) {
    wcscpy(to + wcslen(to), from);
    return to;
}

wchar_t *wcsncat(wchar_t *to, const wchar_t *from, size_t n) {
    size_t at = wcslen(to), i = 0;
    for (; i < n && from[i]; i++) to[at + i] = from[i];
    to[at + i] = 0;
    return to;
}

int wcscmp(const wchar_t *a, const wchar_t *b) {
    size_t i = 0;
    while (a[i] && a[i] == b[i]) i++;
    return (a[i] > b[i]) - (a[i] < b[i]);
}

int wcsncmp(const wchar_t *a, const wchar_t *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
        if (!a[i]) return 0;
    }
    return 0;
}

wchar_t *wcschr(const wchar_t *s, wchar_t c) {
    for (size_t i = 0;; i++) {
        if (s[i] == c) return (wchar_t *)s + i;
        if (!s[i]) return NULL;
    }
}

wchar_t *wcsrchr(const wchar_t *s, wchar_t c) {
    wchar_t *found = NULL;
    for (size_t i = 0;; i++) {
        if (s[i] == c) found = (wchar_t *)s + i;
        if (!s[i]) return found;
    }
}

wchar_t *wcsdup(const wchar_t *s) {
    size_t n = (wcslen(s) + 1) * sizeof *s;
    wchar_t *copy = malloc(n);
    if (copy) memcpy(copy, s, n);
    return copy;
}

wchar_t *wmemcpy(wchar_t *to, const wchar_t *from, size_t n) {
    return memcpy(to, from, n * sizeof *to);
}

wchar_t *wmemmove(wchar_t *to, const wchar_t *from, size_t n) {
    void *memmove(void *, const void *, size_t);
    return memmove(to, from, n * sizeof *to);
}

wchar_t *wmemset(wchar_t *memory, wchar_t c, size_t n) {
    for (size_t i = 0; i < n; i++) memory[i] = c;
    return memory;
}

wchar_t *wmemchr(const wchar_t *memory, wchar_t c, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (memory[i] == c) return (wchar_t *)memory + i;
    return NULL;
}

int wmemcmp(const wchar_t *a, const wchar_t *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}
