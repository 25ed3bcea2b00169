/* wprintf, wscanf and their kin: what the narrow ones do, with a format of wide characters. */
#include "narrowed.h"
#include <stdarg.h>

int vprintf(const char *, va_list);
int vscanf(const char *, va_list);

int vwprintf(const wchar_t *f, va_list ap) {
    char narrow[LONGEST];
    narrowed(narrow, f);
    return vprintf(narrow, ap);
}

int vfwprintf(void *stream, const wchar_t *f, va_list ap) {
    __vouch_touch(stream);
    return vwprintf(f, ap);
}

int wprintf(const wchar_t *f, ...) {
    va_list ap;
    va_start(ap, f);
    int n = vwprintf(f, ap);
    va_end(ap);
    return n;
}

int fwprintf(void *stream, const wchar_t *f, ...) {
    va_list ap;
    __vouch_touch(stream);
    va_start(ap, f);
    int n = vwprintf(f, ap);
    va_end(ap);
    return n;
}

/* Whether a conversion stores narrow text: how many bytes it takes hangs on the locale. */
static _Bool stores_narrow_text(const char *f) {
    for (; *f; f++) {
        if (*f != '%') continue;
        f++;
        if (*f == '*') continue;
        while (*f >= '0' && *f <= '9') f++;
        if (*f == 's' || *f == 'c' || *f == '[') return 1;
        if (!*f) break;
    }
    return 0;
}

static int scan(const wchar_t *f, va_list ap) {
    char narrow[LONGEST];
    narrowed(narrow, f);
    if (stores_narrow_text(narrow)) __vouch_unsupported();
    return vscanf(narrow, ap);
}

static int scan_stream(void *stream, const wchar_t *f, va_list ap) {
    __vouch_touch(stream);
    return scan(f, ap);
}

static int scan_text(const wchar_t *text, const wchar_t *f, va_list ap) {
    __vouch_length(text, EVERYTHING, sizeof *text);
    return scan(f, ap);
}

/* The names that headers give them, by the year of the standard. */
#define SCANNERS(year)                                                                                       \
    int year##wscanf(const wchar_t *f, ...) {                                                                \
        va_list ap;                                                                                          \
        va_start(ap, f);                                                                                     \
        int n = scan(f, ap);                                                                                 \
        va_end(ap);                                                                                          \
        return n;                                                                                            \
    }                                                                                                        \
    int year##fwscanf(void *stream, const wchar_t *f, ...) {                                                 \
        va_list ap;                                                                                          \
        va_start(ap, f);                                                                                     \
        int n = scan_stream(stream, f, ap);                                                                  \
        va_end(ap);                                                                                          \
        return n;                                                                                            \
    }                                                                                                        \
    int year##swscanf(const wchar_t *text, const wchar_t *f, ...) {                                          \
        va_list ap;                                                                                          \
        va_start(ap, f);                                                                                     \
        int n = scan_text(text, f, ap);                                                                      \
        va_end(ap);                                                                                          \
        return n;                                                                                            \
    }                                                                                                        \
    int year##vwscanf(const wchar_t *f, va_list ap) { return scan(f, ap); }                                  \
    int year##vfwscanf(void *stream, const wchar_t *f, va_list ap) { return scan_stream(stream, f, ap); }    \
    int year##vswscanf(const wchar_t *text, const wchar_t *f, va_list ap) { return scan_text(text, f, ap); }

SCANNERS()
SCANNERS(__isoc99_)
SCANNERS(__isoc23_)
