/* swprintf and its kin: wide text into memory. */
#include "narrowed.h"

typedef wchar_t unit;

static void own(wchar_t *to, const char *text, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] = (wchar_t)text[i];
}

static void repeated(wchar_t *to, char c, size_t n) {
    __vouch_access(to, n * sizeof *to, 1);
    for (size_t i = 0; i < n; i++) to[i] = (wchar_t)c;
}

static void unknown(wchar_t *to, size_t n) { __vouch_bytes(to, n * sizeof *to); }

#include "format.h"

static void same_text(struct sink *sink, const struct spec *spec, const wchar_t *text) {
    text_field(sink, spec, text, length_within(spec, text, sizeof *text));
}

/* Each wide character is made of one or more. */
static void other_text(struct sink *sink, const struct spec *spec, const void *text) {
    size_t n = length_within(spec, text, 1);
    if (n > 1 << 24) __vouch_unsupported();
    if (__vouch_nondet_bool()) sink->failed = 1;
    something(sink, spec, 0, (int)n);
}

static void character(struct sink *sink, const struct spec *spec, int c) {
    int fill = filling(spec, 0, 1);
    if (!spec->left) pad(sink, ' ', fill);
    if (spec->length != LONG) {
        c = (unsigned char)c;
        if (c > 127) { /* as the locale has it */
            if (__vouch_nondet_bool()) sink->failed = 1;
            c = __vouch_any_int();
        }
    }
    if (sink->to && sink->count < sink->room) sink->to[sink->count] = (wchar_t)c;
    sink->count++;
    if (spec->left) pad(sink, ' ', fill);
}

/* Text that does not fit is an error, and what of it is stored is left open. */
int vswprintf(wchar_t *to, size_t size, const wchar_t *f, va_list ap) {
    char narrow[LONGEST];
    narrowed(narrow, f);
    struct sink sink = {size ? to : NULL, size ? size - 1 : 0, 0, 0};
    formatted(&sink, narrow, ap);
    if (sink.count >= size || sink.count > __INT_MAX__ || sink.failed) {
        __vouch_sets_errno();
        return -1;
    }
    return (int)sink.count;
}

int swprintf(wchar_t *to, size_t size, const wchar_t *f, ...) {
    va_list ap;
    va_start(ap, f);
    int n = vswprintf(to, size, f, ap);
    va_end(ap);
    return n;
}
