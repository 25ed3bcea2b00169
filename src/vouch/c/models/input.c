/* Functions that bring data in: arbitrary within their contracts. */
#include "vouch.h"

#if defined(_WIN32)
#define RAND_MAX 0x7FFF
#else
#define RAND_MAX __INT_MAX__
#endif

int rand(void) {
    int number = __vouch_nondet_int();
    __vouch_assume(number >= 0 && number <= RAND_MAX);
    return number;
}

int rand_r(unsigned *seed) {
    *seed = __vouch_nondet_uint();
    return rand();
}

long random(void) {
    long number = __vouch_nondet_long();
    __vouch_assume(number >= 0 && number <= 0x7FFFFFFFL);
    return number;
}

long lrand48(void) { return random(); }

double drand48(void) {
    double number = __vouch_nondet_double();
    __vouch_assume(number >= 0 && number < 1);
    return number;
}

void srand(unsigned seed) { (void)seed; }
void srandom(unsigned seed) { (void)seed; }
void srand48(long seed) { (void)seed; }

/* One character or EOF. */
static int character(void) {
    __vouch_sets_errno();
    int c = __vouch_nondet_int();
    __vouch_assume(c >= EOF && c <= CHAR_MASK);
    return c;
}

int getchar(void) { return character(); }

int fgetc(void *stream) {
    __vouch_touch(stream);
    return character();
}

int getc(void *stream) { return fgetc(stream); }
int _IO_getc(void *stream) { return fgetc(stream); }

int ungetc(int c, void *stream) {
    __vouch_touch(stream);
    return __vouch_nondet_bool() ? c : EOF;
}

/* A string of less than `room` characters at s. */
static size_t text(char *s, size_t room) {
    size_t n = __vouch_nondet_size_t();
    __vouch_assume(n < room);
    __vouch_havoc(s, n);
    s[n] = 0;
    return n;
}

/* Fewer than `room` units at s, of which nothing may be used: what a function that fails leaves behind. */
static void rest(void *s, size_t room, size_t size) {
    size_t n = __vouch_nondet_size_t();
    __vouch_assume(n < room);
    if (n) __vouch_havoc(s, n * size);
}

char *fgets(char *s, int room, void *stream) {
    __vouch_touch(stream);
    __vouch_sets_errno();
    if (room <= 0) return NULL;
    if (__vouch_nondet_bool()) {
        rest(s, (size_t)room, 1);
        return NULL;
    }
    text(s, (size_t)room);
    return s;
}

/* The line may be longer than any buffer. */
char *gets(char *s) {
    __vouch_sets_errno();
    if (__vouch_nondet_bool()) return NULL;
    text(s, __vouch_object_size(s) + 2);
    return s;
}

wchar_t *fgetws(wchar_t *s, int room, void *stream) {
    __vouch_touch(stream);
    __vouch_sets_errno();
    if (room <= 0) return NULL;
    if (__vouch_nondet_bool()) {
        rest(s, (size_t)room, sizeof *s);
        return NULL;
    }
    size_t n = __vouch_nondet_size_t();
    __vouch_assume(n < (size_t)room);
    __vouch_havoc(s, n * sizeof *s);
    s[n] = 0;
    return s;
}

size_t fread(void *to, size_t size, size_t count, void *stream) {
    __vouch_touch(stream);
    __vouch_sets_errno();
    if (!size || !count) return 0;
    if (count > EVERYTHING / size) __vouch_access(to, EVERYTHING, 1); /* no object is as large */
    size_t got = __vouch_nondet_size_t(); /* bytes: the last element may be there in part */
    __vouch_assume(got <= size * count);
    __vouch_havoc(to, got);
    return size == 1 ? got : got / size;
}

/* Up to n bytes, or -1. */
static ssize_t bytes(void *to, size_t n) {
    ssize_t got = __vouch_nondet_ssize_t();
    __vouch_sets_errno();
    __vouch_assume(got >= -1 && (got < 0 || (size_t)got <= n));
    if (got > 0) __vouch_havoc(to, (size_t)got);
    return got;
}

ssize_t read(int file, void *to, size_t n) {
    (void)file;
    return bytes(to, n);
}

ssize_t getrandom(void *to, size_t n, unsigned flags) {
    (void)flags;
    return bytes(to, n);
}

/* A message may be longer than the room for it, and some flags have that told. */
ssize_t recv(int socket, void *to, size_t n, int flags) {
    (void)socket;
    ssize_t got = bytes(to, n);
    if (!flags || got < 0 || (size_t)got < n) return got;
    ssize_t whole = __vouch_nondet_ssize_t();
    __vouch_assume(whole >= got);
    return whole;
}

ssize_t recvfrom(int socket, void *to, size_t n, int flags, void *from, unsigned *length) {
    ssize_t got = recv(socket, to, n, flags);
    if (from && length && got >= 0) {
        unsigned used = __vouch_nondet_uint();
        __vouch_havoc(from, used < *length ? used : *length);
        *length = used; /* more than there is room for, where the address is longer */
    }
    return got;
}

#define LONGEST ((EVERYTHING >> 1) - 129) /* more would not be allocated */

/* There is room for the line afterwards, and perhaps also where none was read. */
ssize_t getline(char **line, size_t *room, void *stream) {
    __vouch_touch(stream);
    size_t n = __vouch_nondet_size_t();
    __vouch_sets_errno();
    __vouch_assume(n >= 1 && n <= LONGEST);
    if (!*line || *room <= n) {
        size_t more = __vouch_nondet_size_t();
        __vouch_assume(more > n && more <= n + 128);
        if (__vouch_nondet_bool()) return -1;
        free(*line);
        *line = malloc(more);
        if (!*line) return -1;
        *room = more;
    }
    if (__vouch_nondet_bool()) {
        rest(*line, *room, 1);
        return -1;
    }
    __vouch_havoc(*line, n);
    (*line)[n] = 0;
    return (ssize_t)n;
}

char *getenv(const char *name) {
    __vouch_length(name, EVERYTHING, 1);
    return __vouch_nondet_bool() ? __vouch_nondet_ptr() : NULL;
}

/* Times after 1970. */
#if __SIZEOF_POINTER__ == 4 && defined(__linux__)
typedef long time_t;
#else
typedef long long time_t;
#endif

time_t time(time_t *out) {
    time_t now = (time_t)__vouch_nondet_llong();
    /* Until 2106; -1 where there is no clock. */
    __vouch_assume(now >= -1 && (now < 0 || (unsigned long long)now <= 0xFFFFFFFFULL));
    if (out) *out = now;
    return now;
}

/* It does not fail (POSIX); the second argument is of no use to anybody. */
struct moment { time_t seconds; long microseconds; };

int gettimeofday(struct moment *out, void *zone) {
    (void)zone;
    if (!out) return 0;
    time(&out->seconds);
    long part = __vouch_nondet_long();
    __vouch_assume(part >= 0 && part < 1000000);
    out->microseconds = part;
    return 0;
}

double difftime(time_t end, time_t start) { return (double)end - (double)start; }

/* -1 where the processor time is not available; it wraps where it is unsigned. */
long clock(void) {
    long now = __vouch_nondet_long();
#ifdef __linux__
    __vouch_assume(now >= -1);
#endif
    return now;
}

struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
#ifdef __linux__
    long tm_gmtoff;
    const char *tm_zone;
#endif
};

static int between(int low, int high) {
    int number = __vouch_nondet_int();
    __vouch_assume(number >= low && number <= high);
    return number;
}

static void break_down(struct tm *out, int offset) {
    out->tm_sec = between(0, 60);
    out->tm_min = between(0, 59);
    out->tm_hour = between(0, 23);
    out->tm_mday = between(1, 31);
    out->tm_mon = between(0, 11);
    out->tm_year = __vouch_nondet_int();
    out->tm_wday = between(0, 6);
    out->tm_yday = between(0, 365);
    out->tm_isdst = offset ? between(-1, 1) : 0;
#ifdef __linux__
    out->tm_gmtoff = offset ? between(-50400, 50400) : 0;
    out->tm_zone = "UTC";
#endif
}

static struct tm *broken_down(const time_t *when, struct tm *out, int offset) {
    __vouch_access(when, sizeof *when, 0);
    if (__vouch_nondet_bool()) return NULL;
    break_down(out, offset);
    return out;
}

struct tm *localtime_r(const time_t *when, struct tm *out) { return broken_down(when, out, 1); }
struct tm *gmtime_r(const time_t *when, struct tm *out) { return broken_down(when, out, 0); }

static struct tm broken;

struct tm *localtime(const time_t *when) { return broken_down(when, &broken, 1); }
struct tm *gmtime(const time_t *when) { return broken_down(when, &broken, 0); }

/* The fields are read, whatever they hold, and brought into their ranges; -1 for a time that has no number. */
time_t mktime(struct tm *when) {
    __vouch_access(when, sizeof *when, 1);
    time_t number = (time_t)__vouch_nondet_llong();
    if (number != -1) break_down(when, 1);
    return number;
}

time_t timegm(struct tm *when) { return mktime(when); }

/* "Thu Jan  1 00:00:00 1970\n" */
static char *shown(void) {
    static char text[26];
    __vouch_text(text, 24);
    text[24] = '\n';
    text[25] = 0;
    return text;
}

char *asctime(const struct tm *when) {
    __vouch_access(when, sizeof *when, 0);
    return shown();
}

char *ctime(const time_t *when) {
    __vouch_access(when, sizeof *when, 0);
    return __vouch_nondet_bool() ? shown() : NULL;
}

size_t strftime(char *s, size_t room, const char *format, const struct tm *when) {
    __vouch_length(format, EVERYTHING, 1);
    __vouch_access(when, sizeof *when, 0);
    __vouch_apart(s, format, room != 0);
    if (!room) return 0;
    if (__vouch_nondet_bool()) return text(s, room);
    rest(s, room, 1); /* it did not fit */
    return 0;
}

/* Conventions of other verifiers: the bytes hold anything. */
void __VERIFIER_nondet_memory(void *p, size_t n) {
    if (n) __vouch_havoc(p, n);
}

void __CPROVER_havoc_slice(void *p, size_t n) { __VERIFIER_nondet_memory(p, n); }
