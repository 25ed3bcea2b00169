/* string.h and strings.h: exact. */
#include "vouch.h"

size_t strlen(const char *s) {
    size_t n = 0;
    while (s[n]) n++;
    return n;
}

size_t strnlen(const char *s, size_t limit) {
    size_t n = 0;
    while (n < limit && s[n]) n++;
    return n;
}

char *stpcpy(char *to, const char *from) {
    size_t i = 0;
    while ((to[i] = from[i])) i++;
    return to + i;
}

char *strcpy(char *to, const char *from) {
    size_t i = 0;
    while ((to[i] = from[i])) i++;
    return to;
}

char *strncpy(char *to, const char *from, size_t n) {
    size_t i = 0;
    for (; i < n && from[i]; i++) to[i] = from[i];
    for (; i < n; i++) to[i] = 0;
    return to;
}

char *strcat(char *to, const char *from) {
    strcpy(to + strlen(to), from);
    return to;
}

char *strncat(char *to, const char *from, size_t n) {
    size_t at = strlen(to), i = 0;
    for (; i < n && from[i]; i++) to[at + i] = from[i];
    to[at + i] = 0;
    return to;
}

size_t strlcpy(char *to, const char *from, size_t size) {
    size_t n = strlen(from);
    if (size) {
        size_t copied = n < size ? n : size - 1;
        for (size_t i = 0; i < copied; i++) to[i] = from[i];
        to[copied] = 0;
    }
    return n;
}

size_t strlcat(char *to, const char *from, size_t size) {
    size_t at = strnlen(to, size);
    if (at == size) return size + strlen(from);
    return at + strlcpy(to + at, from, size - at);
}

int strcmp(const char *a, const char *b) {
    size_t i = 0;
    while (a[i] && a[i] == b[i]) i++;
    return (unsigned char)a[i] - (unsigned char)b[i];
}

int strcoll(const char *a, const char *b) { return strcmp(a, b); }

int strncmp(const char *a, const char *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (a[i] != b[i]) return (unsigned char)a[i] - (unsigned char)b[i];
        if (!a[i]) return 0;
    }
    return 0;
}

int strcasecmp(const char *a, const char *b) {
    size_t i = 0;
    while (a[i] && tolower((unsigned char)a[i]) == tolower((unsigned char)b[i])) i++;
    return tolower((unsigned char)a[i]) - tolower((unsigned char)b[i]);
}

int strncasecmp(const char *a, const char *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        int difference = tolower((unsigned char)a[i]) - tolower((unsigned char)b[i]);
        if (difference || !a[i]) return difference;
    }
    return 0;
}

char *strchr(const char *s, int c) {
    for (size_t i = 0;; i++) {
        if (s[i] == (char)c) return (char *)s + i;
        if (!s[i]) return NULL;
    }
}

char *index(const char *s, int c) { return strchr(s, c); }

char *strchrnul(const char *s, int c) {
    size_t i = 0;
    while (s[i] && s[i] != (char)c) i++;
    return (char *)s + i;
}

char *strrchr(const char *s, int c) {
    char *found = NULL;
    for (size_t i = 0;; i++) {
        if (s[i] == (char)c) found = (char *)s + i;
        if (!s[i]) return found;
    }
}

char *rindex(const char *s, int c) { return strrchr(s, c); }

static int among(char c, const char *set) {
    for (size_t i = 0; set[i]; i++)
        if (set[i] == c) return 1;
    return 0;
}

size_t strspn(const char *s, const char *set) {
    size_t n = 0;
    while (s[n] && among(s[n], set)) n++;
    return n;
}

size_t strcspn(const char *s, const char *set) {
    size_t n = 0;
    while (s[n] && !among(s[n], set)) n++;
    return n;
}

char *strpbrk(const char *s, const char *set) {
    size_t n = strcspn(s, set);
    return s[n] ? (char *)s + n : NULL;
}

char *strstr(const char *s, const char *what) {
    for (size_t i = 0;; i++) {
        size_t j = 0;
        while (what[j] && s[i + j] == what[j]) j++;
        if (!what[j]) return (char *)s + i;
        if (!s[i + j]) return NULL;
    }
}

char *strtok_r(char *s, const char *set, char **rest) {
    if (!s) s = *rest;
    if (!s) return NULL;
    s += strspn(s, set);
    if (!*s) {
        *rest = NULL;
        return NULL;
    }
    size_t n = strcspn(s, set);
    if (s[n]) {
        s[n] = 0;
        *rest = s + n + 1;
    } else {
        *rest = NULL;
    }
    return s;
}

char *__strtok_r(char *s, const char *set, char **rest) { return strtok_r(s, set, rest); }

char *strtok(char *s, const char *set) {
    static char *rest;
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

char *strerror(int error) {
    static char text[] = "error";
    (void)error;
    return text;
}

void *memchr(const void *memory, int c, size_t n) {
    const unsigned char *bytes = memory;
    for (size_t i = 0; i < n; i++)
        if (bytes[i] == (unsigned char)c) return (void *)(bytes + i);
    return NULL;
}

void *memrchr(const void *memory, int c, size_t n) {
    const unsigned char *bytes = memory;
    while (n--)
        if (bytes[n] == (unsigned char)c) return (void *)(bytes + n);
    return NULL;
}

int memcmp(const void *a, const void *b, size_t n) {
    const unsigned char *x = a, *y = b;
    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i]) return x[i] - y[i];
    return 0;
}

void *memmem(const void *memory, size_t n, const void *what, size_t m) {
    for (size_t i = 0; i + m <= n; i++)
        if (!memcmp((const char *)memory + i, what, m)) return (char *)memory + i;
    return NULL;
}

void *memccpy(void *to, const void *from, int c, size_t n) {
    const unsigned char *in = from;
    unsigned char *out = to;
    for (size_t i = 0; i < n; i++) {
        out[i] = in[i];
        if (in[i] == (unsigned char)c) return out + i + 1;
    }
    return NULL;
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
