/* The checking variants that _FORTIFY_SOURCE calls: the engine itself sees what they would catch. */
#include "vouch.h"
#include <stdarg.h>

void *memmove(void *, const void *, size_t);
char *strcpy(char *, const char *);
char *stpcpy(char *, const char *);
char *strncpy(char *, const char *, size_t);
char *strcat(char *, const char *);
char *strncat(char *, const char *, size_t);
int vsnprintf(char *, size_t, const char *, va_list);
int vsprintf(char *, const char *, va_list);
int vprintf(const char *, va_list);
int vfprintf(void *, const char *, va_list);
char *fgets(char *, int, void *);
char *gets(char *);
size_t fread(void *, size_t, size_t, void *);
ssize_t read(int, void *, size_t);
ssize_t recv(int, void *, size_t, int);

void *__memcpy_chk(void *to, const void *from, size_t n, size_t room) { return (void)room, memcpy(to, from, n); }
void *__memmove_chk(void *to, const void *from, size_t n, size_t room) { return (void)room, memmove(to, from, n); }
void *__memset_chk(void *to, int c, size_t n, size_t room) { return (void)room, memset(to, c, n); }
char *__strcpy_chk(char *to, const char *from, size_t room) { return (void)room, strcpy(to, from); }
char *__stpcpy_chk(char *to, const char *from, size_t room) { return (void)room, stpcpy(to, from); }
char *__strcat_chk(char *to, const char *from, size_t room) { return (void)room, strcat(to, from); }
char *__strncpy_chk(char *to, const char *from, size_t n, size_t room) { return (void)room, strncpy(to, from, n); }
char *__strncat_chk(char *to, const char *from, size_t n, size_t room) { return (void)room, strncat(to, from, n); }
char *__fgets_chk(char *s, size_t room, int n, void *stream) { return (void)room, fgets(s, n, stream); }
char *__gets_chk(char *s, size_t room) { return (void)room, gets(s); }
size_t __fread_chk(void *to, size_t room, size_t size, size_t n, void *stream) { return (void)room, fread(to, size, n, stream); }
ssize_t __read_chk(int file, void *to, size_t n, size_t room) { return (void)room, read(file, to, n); }
ssize_t __recv_chk(int socket, void *to, size_t n, size_t room, int flags) { return (void)room, recv(socket, to, n, flags); }

int __vsnprintf_chk(char *to, size_t size, int flag, size_t room, const char *f, va_list ap) {
    (void)flag, (void)room;
    return vsnprintf(to, size, f, ap);
}

int __vsprintf_chk(char *to, int flag, size_t room, const char *f, va_list ap) {
    (void)flag, (void)room;
    return vsprintf(to, f, ap);
}

int __vprintf_chk(int flag, const char *f, va_list ap) { return (void)flag, vprintf(f, ap); }
int __vfprintf_chk(void *stream, int flag, const char *f, va_list ap) { return (void)flag, vfprintf(stream, f, ap); }

int __snprintf_chk(char *to, size_t size, int flag, size_t room, const char *f, ...) {
    va_list ap;
    (void)flag, (void)room;
    va_start(ap, f);
    int n = vsnprintf(to, size, f, ap);
    va_end(ap);
    return n;
}

int __sprintf_chk(char *to, int flag, size_t room, const char *f, ...) {
    va_list ap;
    (void)flag, (void)room;
    va_start(ap, f);
    int n = vsprintf(to, f, ap);
    va_end(ap);
    return n;
}

int __printf_chk(int flag, const char *f, ...) {
    va_list ap;
    (void)flag;
    va_start(ap, f);
    int n = vprintf(f, ap);
    va_end(ap);
    return n;
}

int __fprintf_chk(void *stream, int flag, const char *f, ...) {
    va_list ap;
    (void)flag;
    va_start(ap, f);
    int n = vfprintf(stream, f, ap);
    va_end(ap);
    return n;
}
