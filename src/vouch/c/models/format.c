/* sprintf and its kin: narrow text into memory. */
#include "vouch.h"

typedef char unit;

static void own(char *to, const char *text, size_t n) { memcpy(to, text, n); }
static void repeated(char *to, char c, size_t n) { memset(to, c, n); }
static void unknown(char *to, size_t n) { __vouch_text(to, n); }

#include "format.h"

static void same_text(struct sink *sink, const struct spec *spec, const char *text) {
    text_field(sink, spec, text, length_within(spec, text, 1));
}

/* A wide character becomes at most six. */
static void other_text(struct sink *sink, const struct spec *spec, const void *text) {
    size_t n = length_within(spec, text, sizeof(wchar_t));
    size_t most = spec->precise && (size_t)spec->precision < 6 * n ? (size_t)spec->precision : 6 * n;
    if (most > 1 << 24) __vouch_unsupported();
    if (__vouch_nondet_bool()) sink->failed = 1;
    something(sink, spec, 0, (int)most);
}

static void character(struct sink *sink, const struct spec *spec, int c) {
    if (spec->length == LONG) {
        if (__vouch_nondet_bool()) sink->failed = 1;
        something(sink, spec, 1, 6);
    } else {
        char text = (char)c;
        field(sink, spec, "", 0, &text, 1);
    }
}

static int format(char *to, size_t size, const char *f, va_list ap) {
    struct sink sink = {size ? to : NULL, size ? size - 1 : 0, 0, 0};
    if (!__vouch_known(f)) {
        __vouch_length(f, EVERYTHING, 1);
        __vouch_unsupported(); /* it may read and write through any of its arguments */
    }
    __vouch_apart(sink.to, f, size != 0);
    formatted(&sink, f, ap);
    if (sink.count > __INT_MAX__ || sink.failed) {
        __vouch_sets_errno();
        return -1;
    }
    return (int)sink.count;
}

int vsnprintf(char *to, size_t size, const char *f, va_list ap) { return format(to, size, f, ap); }
int vsprintf(char *to, const char *f, va_list ap) { return format(to, (size_t)-1, f, ap); }

int snprintf(char *to, size_t size, const char *f, ...) {
    va_list ap;
    va_start(ap, f);
    int n = format(to, size, f, ap);
    va_end(ap);
    return n;
}

int sprintf(char *to, const char *f, ...) {
    va_list ap;
    va_start(ap, f);
    int n = format(to, (size_t)-1, f, ap);
    va_end(ap);
    return n;
}

int asprintf(char **to, const char *f, ...) {
    va_list ap;
    va_start(ap, f);
    int n = format(NULL, 0, f, ap);
    va_end(ap);
    if (n < 0) return -1;
    *to = malloc((size_t)n + 1);
    if (!*to) return -1;
    va_start(ap, f);
    int again = format(*to, (size_t)n + 1, f, ap);
    va_end(ap);
    __vouch_assume(again == n);
    return n;
}
