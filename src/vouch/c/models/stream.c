/* Files: opening may fail, and what other functions report is arbitrary. A stream is an object that lives until it is
   closed. */
#include "vouch.h"

static void string(const char *s) { __vouch_length(s, EVERYTHING, 1); }

static void *opened(void) {
    __vouch_sets_errno();
    return __vouch_nondet_bool() ? malloc(1) : NULL;
}

/* 0, or -1 and a reason in errno. */
static int done(void) {
    __vouch_sets_errno();
    return __vouch_nondet_bool() ? -1 : 0;
}

void *fopen(const char *name, const char *mode) {
    string(name);
    string(mode);
    return opened();
}

void *fdopen(int file, const char *mode) {
    (void)file;
    string(mode);
    return opened();
}

void *freopen(const char *name, const char *mode, void *old) {
    if (name) string(name);
    string(mode);
    __vouch_touch(old);
    __vouch_sets_errno();
    if (__vouch_nondet_bool()) return old;
    free(old);
    return NULL;
}

void *tmpfile(void) { return opened(); }

void *popen(const char *command, const char *mode) {
    string(command);
    string(mode);
    return opened();
}

static int status(const void *file) {
    __vouch_touch(file);
    return done();
}

int fclose(void *file) {
    int outcome = status(file);
    free(file);
    return outcome;
}

int pclose(void *file) {
    __vouch_touch(file);
    free(file);
    __vouch_sets_errno();
    return __vouch_nondet_int();
}

int fflush(void *file) {
    if (file) __vouch_touch(file);
    return done();
}

/* What is true need not be 1. */
int feof(void *file) {
    __vouch_touch(file);
    return __vouch_nondet_bool() ? 0 : __vouch_nondet_bool() ? 1 : 0x40;
}

int ferror(void *file) { return feof(file); }

void clearerr(void *file) { __vouch_touch(file); }

int fseek(void *file, long offset, int from) {
    (void)offset, (void)from;
    return status(file);
}

long ftell(void *file) {
    __vouch_touch(file);
    __vouch_sets_errno();
    long at = __vouch_nondet_long();
    __vouch_assume(at >= -1);
    return at;
}

void rewind(void *file) { __vouch_touch(file); }

/* What is in a buffer that the stream uses is not for the program to know. */
int setvbuf(void *file, char *buffer, int mode, size_t size) {
    (void)mode;
    if (buffer && size) __vouch_havoc(buffer, size);
    return status(file);
}

void setbuf(void *file, char *buffer) {
    if (buffer) __vouch_access(buffer, 256, 1); /* BUFSIZ is not less */
    __vouch_touch(file);
}

int fileno(void *file) {
    __vouch_touch(file);
    int number = __vouch_nondet_int();
    __vouch_assume(number >= -1);
    return number;
}

int remove(const char *name) {
    string(name);
    return done();
}

int unlink(const char *name) { return remove(name); }

int rename(const char *from, const char *to) {
    string(from);
    return remove(to);
}

int system(const char *command) {
    if (command) string(command);
    __vouch_sets_errno();
    return __vouch_nondet_int();
}

/* The number of a file, or -1. */
static int number(const char *name) {
    string(name);
    __vouch_sets_errno();
    int file = __vouch_nondet_int();
    __vouch_assume(file >= -1);
    return file;
}

int open(const char *name, int flags, ...) {
    (void)flags;
    return number(name);
}

int openat(int folder, const char *name, int flags, ...) {
    (void)folder, (void)flags;
    return number(name);
}

int creat(const char *name, unsigned mode) {
    (void)mode;
    return number(name);
}

int close(int file) {
    (void)file;
    return done();
}

unsigned sleep(unsigned seconds) {
    unsigned left = __vouch_nondet_uint();
    __vouch_assume(left <= seconds);
    return left;
}

int usleep(unsigned microseconds) {
    (void)microseconds;
    return done();
}
