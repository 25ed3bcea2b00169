/* string.h and strings.h: exact. */
#include "vouch.h"

void *memmem(const void *, size_t, const void *, size_t);

size_t strlen(const char *s) { return __vouch_length(s, EVERYTHING, 1); }
size_t strnlen(const char *s, size_t limit) { return __vouch_length(s, limit, 1); }

char *stpcpy(char *to, const char *from) {
    size_t n = strlen(from);
    __vouch_copy_text(to, from, n + 1);
    return to + n;
}

char *strcpy(char *to, const char *from) {
    __vouch_copy_text(to, from, strlen(from) + 1);
    return to;
}

char *strncpy(char *to, const char *from, size_t size) {
    size_t n = strnlen(from, size);
    __vouch_copy_text(to, from, n);
    memset(to + n, 0, size - n);
    return to;
}

char *stpncpy(char *to, const char *from, size_t size) {
    strncpy(to, from, size);
    return to + strnlen(from, size);
}

char *strcat(char *to, const char *from) {
    strcpy(to + strlen(to), from);
    return to;
}

char *strncat(char *to, const char *from, size_t size) {
    size_t at = strlen(to), n = strnlen(from, size);
    memcpy(to + at, from, n);
    to[at + n] = 0;
    return to;
}

size_t strlcpy(char *to, const char *from, size_t size) {
    size_t n = strlen(from);
    if (size) {
        size_t copied = n < size ? n : size - 1;
        __vouch_copy_text(to, from, copied);
        to[copied] = 0;
    }
    return n;
}

size_t strlcat(char *to, const char *from, size_t size) {
    size_t at = strnlen(to, size);
    if (at == size) return size + strlen(from);
    return at + strlcpy(to + at, from, size - at);
}

/* Of the result only the sign is told. */
static int order(int difference) {
    if (!difference) return 0;
    int some = __vouch_nondet_int();
    __vouch_assume(difference < 0 ? some < 0 : some > 0);
    return some;
}

int strcmp(const char *a, const char *b) { return order(__vouch_compare(a, b, EVERYTHING, 1, 1, 0)); }
int strcoll(const char *a, const char *b) { return strcmp(a, b); }
int strncmp(const char *a, const char *b, size_t n) { return order(__vouch_compare(a, b, n, 1, 1, 0)); }
int strcasecmp(const char *a, const char *b) { return order(__vouch_compare(a, b, EVERYTHING, 1, 1, 1)); }
int strncasecmp(const char *a, const char *b, size_t n) { return order(__vouch_compare(a, b, n, 1, 1, 1)); }

char *strchr(const char *s, int c) {
    size_t at = __vouch_find(s, (char)c, EVERYTHING, 1, 1);
    return at == NOWHERE ? NULL : (char *)s + at;
}

char *index(const char *s, int c) { return strchr(s, c); }

char *strchrnul(const char *s, int c) {
    size_t at = __vouch_find(s, (char)c, EVERYTHING, 1, 1);
    return (char *)s + (at == NOWHERE ? strlen(s) : at);
}

char *strrchr(const char *s, int c) {
    size_t at = __vouch_find_last(s, (char)c, strlen(s) + 1, 1);
    return at == NOWHERE ? NULL : (char *)s + at;
}

char *rindex(const char *s, int c) { return strrchr(s, c); }

size_t strspn(const char *s, const char *set) { return __vouch_span(s, set, 1); }
size_t strcspn(const char *s, const char *set) { return __vouch_span(s, set, 0); }

char *strpbrk(const char *s, const char *set) {
    size_t n = strcspn(s, set);
    return s[n] ? (char *)s + n : NULL;
}

char *strstr(const char *s, const char *what) {
    size_t n = strlen(s), m = strlen(what);
    return memmem(s, n, what, m);
}

/* Where nothing is left, some libraries keep the end of the string and others null. */
static char *no_more(char *end) { return __vouch_nondet_bool() ? end : NULL; }

char *strtok_r(char *s, const char *set, char **rest) {
    if (!s) s = *rest;
    if (!s) return NULL;
    s += strspn(s, set);
    if (!*s) {
        *rest = no_more(s);
        return NULL;
    }
    size_t n = strcspn(s, set);
    if (s[n]) {
        s[n] = 0;
        *rest = s + n + 1;
    } else {
        *rest = no_more(s + n);
    }
    return s;
}

char *__strtok_r(char *s, const char *set, char **rest) { return strtok_r(s, set, rest); }

/* In a library another caller may have begun before. */
char *strtok(char *s, const char *set) {
    static char *rest;
    static _Bool begun;
    if (s) begun = 1;
    else if (!begun) return strtok_r(__vouch_nondet_bool() ? __vouch_nondet_ptr() : NULL, set, &rest);
    return strtok_r(s, set, &rest);
}

char *strsep(char **rest, const char *set) {
    char *s = *rest;
    if (!s) return NULL;
    size_t n = strcspn(s, set);
    if (s[n]) {
        s[n] = 0;
        *rest = s + n + 1;
    } else {
        *rest = NULL;
    }
    return s;
}

char *strdup(const char *s) {
    size_t n = strlen(s) + 1;
    char *copy = malloc(n);
    if (copy) memcpy(copy, s, n);
    return copy;
}

char *__strdup(const char *s) { return strdup(s); }

char *strndup(const char *s, size_t limit) {
    size_t n = strnlen(s, limit);
    char *copy = malloc(n + 1);
    if (copy) {
        memcpy(copy, s, n);
        copy[n] = 0;
    }
    return copy;
}

size_t strxfrm(char *to, const char *from, size_t size) { return strlcpy(to, from, size); }

/* Some text; no library has a longer one. */
char *strerror(int error) {
    static char text[128];
    size_t n = __vouch_any_size_t();
    (void)error;
    __vouch_assume(n >= 1 && n < sizeof text);
    __vouch_text(text, n);
    text[n] = 0;
    return text;
}

char *strsignal(int number) { return strerror(number); }

void *memchr(const void *memory, int c, size_t n) {
    size_t at = __vouch_find(memory, (unsigned char)c, n, 1, 0);
    return at == NOWHERE ? NULL : (char *)memory + at;
}

void *rawmemchr(const void *memory, int c) {
    return (char *)memory + __vouch_find(memory, (unsigned char)c, EVERYTHING, 1, 0);
}

void *memrchr(const void *memory, int c, size_t n) {
    __vouch_access(memory, n, 0);
    size_t at = __vouch_find_last(memory, (unsigned char)c, n, 1);
    return at == NOWHERE ? NULL : (char *)memory + at;
}

int memcmp(const void *a, const void *b, size_t n) {
    __vouch_access(a, n, 0);
    __vouch_access(b, n, 0);
    return order(__vouch_compare(a, b, n, 1, 0, 0));
}

/* Where the second stretch is in the first is tried place by place. */
void *memmem(const void *memory, size_t n, const void *what, size_t m) {
    __vouch_access(memory, n, 0);
    __vouch_access(what, m, 0);
    for (size_t i = 0; i + m <= n; i++)
        if (!__vouch_compare((const char *)memory + i, what, m, 1, 0, 0)) return (char *)memory + i;
    return NULL;
}

void *memccpy(void *to, const void *from, int c, size_t n) {
    size_t at = __vouch_find(from, (unsigned char)c, n, 1, 0);
    memcpy(to, from, at == NOWHERE ? n : at + 1);
    return at == NOWHERE ? NULL : (char *)to + at + 1;
}

void *mempcpy(void *to, const void *from, size_t n) {
    memcpy(to, from, n);
    return (char *)to + n;
}

void bzero(void *memory, size_t n) { memset(memory, 0, n); }

void bcopy(const void *from, void *to, size_t n) {
    void *memmove(void *, const void *, size_t);
    memmove(to, from, n);
}

int bcmp(const void *a, const void *b, size_t n) { return memcmp(a, b, n); }

int ffs(int x) {
    for (unsigned i = 0; i < 8 * sizeof x; i++)
        if ((unsigned)x >> i & 1) return (int)i + 1;
    return 0;
}
