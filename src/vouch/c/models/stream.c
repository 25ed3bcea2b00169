/* Files: opening may fail, and what other functions report is arbitrary. */
#include "vouch.h"

static char stream;

static void *opened(void) { return __vouch_nondet_bool() ? &stream : NULL; }

void *fopen(const char *name, const char *mode) {
    __vouch_touch(name);
    __vouch_touch(mode);
    return opened();
}

void *fdopen(int file, const char *mode) {
    (void)file;
    __vouch_touch(mode);
    return opened();
}

void *freopen(const char *name, const char *mode, void *old) {
    (void)name;
    __vouch_touch(mode);
    __vouch_touch(old);
    return opened();
}

void *tmpfile(void) { return opened(); }

void *popen(const char *command, const char *mode) {
    __vouch_touch(command);
    __vouch_touch(mode);
    return opened();
}

static int status(const void *file) {
    __vouch_touch(file);
    return __vouch_nondet_bool() ? EOF : 0;
}

int fclose(void *file) { return status(file); }
int pclose(void *file) { return status(file); }

int fflush(void *file) {
    if (file) __vouch_touch(file);
    return __vouch_nondet_bool() ? EOF : 0;
}

int feof(void *file) {
    __vouch_touch(file);
    return __vouch_nondet_bool();
}

int ferror(void *file) {
    __vouch_touch(file);
    return __vouch_nondet_bool();
}

void clearerr(void *file) { __vouch_touch(file); }

int fseek(void *file, long offset, int from) {
    (void)offset, (void)from;
    return status(file);
}

long ftell(void *file) {
    __vouch_touch(file);
    long at = __vouch_nondet_long();
    __vouch_assume(at >= -1);
    return at;
}

void rewind(void *file) { __vouch_touch(file); }

int setvbuf(void *file, char *buffer, int mode, size_t size) {
    (void)buffer, (void)mode, (void)size;
    return status(file);
}

void setbuf(void *file, char *buffer) {
    (void)buffer;
    __vouch_touch(file);
}

int fileno(void *file) {
    __vouch_touch(file);
    int number = __vouch_nondet_int();
    __vouch_assume(number >= 0);
    return number;
}

int remove(const char *name) {
    __vouch_touch(name);
    return __vouch_nondet_bool() ? EOF : 0;
}

int unlink(const char *name) { return remove(name); }

int rename(const char *from, const char *to) {
    __vouch_touch(from);
    return remove(to);
}

int system(const char *command) {
    if (command) __vouch_touch(command);
    return __vouch_nondet_int();
}

int close(int file) {
    (void)file;
    return __vouch_nondet_bool() ? -1 : 0;
}

unsigned sleep(unsigned seconds) {
    unsigned left = __vouch_nondet_uint();
    __vouch_assume(left <= seconds);
    return left;
}

int usleep(unsigned microseconds) {
    (void)microseconds;
    return __vouch_nondet_bool() ? -1 : 0;
}
