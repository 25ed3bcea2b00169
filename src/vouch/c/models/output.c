/* printf to streams: strings are read, %n is written, nothing else happens. */
#include "vouch.h"
#include <stdarg.h>

static int printed(void) {
    __vouch_sets_errno();
    int n = __vouch_any_int();
    __vouch_assume(n >= -1);
    return n;
}

static void read_string(const char *s, int most) {
    __vouch_length(s, most < 0 ? EVERYTHING : (size_t)most, 1);
}

static void store_count(void *to, int longs) {
    int n = printed();
    if (longs > 1) *(long long *)to = n;
    else if (longs == 1) *(long *)to = n;
    else if (longs == -1) *(short *)to = (short)n;
    else if (longs < -1) *(signed char *)to = (signed char)n;
    else *(int *)to = n;
}

static int print(const char *f, va_list ap) {
    if (!__vouch_known(f)) {
        __vouch_length(f, EVERYTHING, 1);
        __vouch_unsupported(); /* it may read and write through any of its arguments */
    }
    while (*f) {
        if (*f++ != '%') continue;
        int most = -1, longs = 0;
        _Bool wide = 0;
        while ((*f >= '0' && *f <= '9') || *f == '-' || *f == '+' || *f == ' ' || *f == '#' || *f == '\'') f++;
        if (*f == '$') __vouch_unsupported(); /* arguments in another order */
        if (*f == '*') (void)va_arg(ap, int), f++;
        if (*f == '.') {
            f++;
            most = 0;
            if (*f == '*') most = va_arg(ap, int), f++;
            while (*f >= '0' && *f <= '9') most = most * 10 + (*f++ - '0');
        }
        for (;; f++) {
            if (*f == 'l') longs++;
            else if (*f == 'q' || *f == 'j') longs = 2;
            else if (*f == 'z' || *f == 't') longs = sizeof(size_t) == sizeof(long) ? 1 : sizeof(size_t) > sizeof(int) ? 2 : 0;
            else if (*f == 'L') wide = 1;
            else if (*f == 'h') longs--;
            else break;
        }
        switch (*f) {
        case 0: return printed();
        case '%': break;
        case 's':
            if (longs > 0) __vouch_length(va_arg(ap, void *), most < 0 ? EVERYTHING : (size_t)most, sizeof(wchar_t));
            else read_string(va_arg(ap, const char *), most);
            break;
        case 'n': store_count(va_arg(ap, void *), longs); break;
        case 'm': break; /* the text of errno */
        case 'S': __vouch_length(va_arg(ap, void *), most < 0 ? EVERYTHING : (size_t)most, sizeof(wchar_t)); break;
        case 'p': (void)va_arg(ap, void *); break;
        case 'a': case 'A': case 'e': case 'E': case 'f': case 'F': case 'g': case 'G':
            if (wide) (void)va_arg(ap, long double);
            else (void)va_arg(ap, double);
            break;
        default:
            if (longs > 1) (void)va_arg(ap, long long);
            else if (longs > 0) (void)va_arg(ap, long);
            else (void)va_arg(ap, int);
        }
        f++;
    }
    return printed();
}

int printf(const char *f, ...) {
    va_list ap;
    va_start(ap, f);
    int n = print(f, ap);
    va_end(ap);
    return n;
}

int fprintf(void *stream, const char *f, ...) {
    va_list ap;
    __vouch_touch(stream);
    va_start(ap, f);
    int n = print(f, ap);
    va_end(ap);
    return n;
}

int dprintf(int file, const char *f, ...) {
    va_list ap;
    (void)file;
    va_start(ap, f);
    int n = print(f, ap);
    va_end(ap);
    return n;
}

void syslog(int priority, const char *f, ...) {
    va_list ap;
    (void)priority;
    va_start(ap, f);
    print(f, ap);
    va_end(ap);
}

int vprintf(const char *f, va_list ap) {
    va_list copy;
    va_copy(copy, ap);
    int n = print(f, copy);
    va_end(copy);
    return n;
}

int vfprintf(void *stream, const char *f, va_list ap) {
    __vouch_touch(stream);
    return vprintf(f, ap);
}

int puts(const char *s) {
    read_string(s, -1);
    return printed();
}

int fputs(const char *s, void *stream) {
    __vouch_touch(stream);
    return puts(s);
}

void perror(const char *s) {
    if (s) read_string(s, -1);
}

int putchar(int c) { return __vouch_nondet_bool() ? EOF : (unsigned char)c; }

int fputc(int c, void *stream) {
    __vouch_touch(stream);
    return putchar(c);
}

int putc(int c, void *stream) { return fputc(c, stream); }
int _IO_putc(int c, void *stream) { return fputc(c, stream); }

int fputws(const wchar_t *s, void *stream) {
    __vouch_touch(stream);
    __vouch_length(s, EVERYTHING, sizeof *s);
    return printed();
}

size_t fwrite(const void *from, size_t size, size_t count, void *stream) {
    __vouch_touch(stream);
    if (size && count > EVERYTHING / size) __vouch_access(from, EVERYTHING, 0); /* no object is as large */
    __vouch_access(from, size * count, 0);
    __vouch_sets_errno();
    size_t n = __vouch_any_size_t();
    __vouch_assume(n <= count);
    return n;
}

ssize_t write(int file, const void *from, size_t n) {
    (void)file;
    __vouch_access(from, n, 0);
    __vouch_sets_errno();
    ssize_t done = (ssize_t)__vouch_any_long();
    __vouch_assume(done >= -1 && (done < 0 || (size_t)done <= n));
    return done;
}
