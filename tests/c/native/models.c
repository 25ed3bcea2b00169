/* The models of vouch against the C library of this machine: prints a line for each difference. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <complex.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "renamed.h"

static unsigned long long state = 88172645463325252ULL;
static int failures;

static unsigned chance(unsigned n) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (unsigned)(state >> 20) % n;
}

static void differ(const char *what, const char *detail) {
    if (++failures < 40) printf("%s: %s\n", what, detail);
}

/* -------- what models are written in */

static int told;          /* what __vouch_any_int says next; 0: a letter */
static double real_value; /* what the real function yields */
static const char *current = "";

static _Bool coin;

void __vouch_assume(int holds) {
    if (!holds) differ("contract does not hold", current);
}
int __vouch_any_int(void) {
    int next = told ? told : 'x';
    told = 0;
    return next;
}
double __vouch_any_double(void) { return real_value; }
float __vouch_any_float(void) { return (float)real_value; }
long double __vouch_any_ldouble(void) { return real_value; }
_Bool __vouch_nondet_bool(void) { return coin; }
long __vouch_nondet_long(void) { return 0; }
unsigned long __vouch_nondet_ulong(void) { return 0; }
long long __vouch_nondet_llong(void) { return 0; }
unsigned long long __vouch_nondet_ullong(void) { return 0; }
double __vouch_nondet_double(void) { return 0; }
float __vouch_nondet_float(void) { return 0; }
char __vouch_nondet_char(void) { return 0; }
short __vouch_nondet_short(void) { return 0; }
static int chosen; /* what the real function chose where the standard leaves it open */
int __vouch_nondet_int(void) { return chosen; }
size_t __vouch_nondet_size_t(void) { return 0; }
ptrdiff_t __vouch_nondet_ssize_t(void) { return 0; }
void *__vouch_nondet_ptr(void) { return 0; }
void __vouch_havoc(void *p, size_t n) {}
void __vouch_text(char *p, size_t n) { memset(p, 'x', n); }
void __vouch_bytes(void *p, size_t n) { differ("not worked out", current); }
_Bool __vouch_constant(size_t n) { return 1; }
void __vouch_repeats(void *f) {}
static size_t told_size; /* what __vouch_any_size_t says */
static _Bool told_truth; /* what __vouch_any_bool says */
size_t __vouch_any_size_t(void) { return told_size; }
_Bool __vouch_any_bool(void) { return told_truth; }
void __vouch_unsupported(void) { differ("not modelled", current); }
void __vouch_access(const void *p, size_t n, int write) {}
void __vouch_apart(const void *to, const void *from, size_t n) {}

static unsigned unit(const void *p, size_t i, int size) {
    const unsigned char *at = (const unsigned char *)p + i * (size_t)size;
    return size == 1 ? *at : size == 2 ? *(const unsigned short *)at : *(const unsigned *)at;
}

size_t __vouch_length(const void *s, size_t limit, int size) {
    size_t n = 0;
    while (n < limit && unit(s, n, size)) n++;
    return n;
}
size_t __vouch_find(const void *p, int c, size_t limit, int size, int string) {
    unsigned wanted = size == 1 ? (unsigned char)c : (unsigned)c;
    for (size_t i = 0; i < limit; i++) {
        if (unit(p, i, size) == wanted) return i;
        if (string && !unit(p, i, size)) break;
    }
    return (size_t)-1;
}
size_t __vouch_find_last(const void *p, int c, size_t n, int size) {
    unsigned wanted = size == 1 ? (unsigned char)c : (unsigned)c;
    while (n--)
        if (unit(p, n, size) == wanted) return n;
    return (size_t)-1;
}
size_t __vouch_span(const char *s, const char *set, int in) {
    size_t n = 0;
    while (s[n] && (strchr(set, s[n]) != NULL) == in) n++;
    return n;
}
int __vouch_compare(const void *a, const void *b, size_t limit, int size, int string, int fold) {
    for (size_t i = 0; i < limit; i++) {
        unsigned x = unit(a, i, size), y = unit(b, i, size);
        if (fold && x >= 'A' && x <= 'Z') x += 32;
        if (fold && y >= 'A' && y <= 'Z') y += 32;
        if (x != y) return size == 1 ? (int)x - (int)y : (int)x < (int)y ? -1 : 1;
        if (string && !x) break;
    }
    return 0;
}
long double __vouch_nondet_ldouble(void) { return 0; }
size_t __vouch_object_size(const void *p) { return 1; }
_Bool __vouch_known(const char *s) { return 1; }
void __vouch_sets_errno(void) {}

int *model___errno_location(void);
int model___isnan(double), model___isinf(double), model___finite(double);
int model___signbit(double), model___fpclassify(double);
static int *own_errno(void) { return model___errno_location(); }

/* -------- strings */

static char *random_string(char *to, unsigned most) {
    unsigned n = chance(most);
    for (unsigned i = 0; i < n; i++) to[i] = "abAB\x80,"[chance(6)];
    to[n] = 0;
    return to;
}

static int sign(int x) { return (x > 0) - (x < 0); }

/* The sign is the same, and the real number is one that the model allows. */
#define ORDER(name, model, ...) \
    chosen = name(__VA_ARGS__); \
    SAME(#name, chosen, model(__VA_ARGS__))

#define SAME(name, a, b) \
    if ((a) != (b)) differ(name, detail)

static void strings(void) {
    char a[32], b[32], x[80], y[80], detail[80];
    for (int turn = 0; turn < 20000; turn++) {
        size_t n = chance(14);
        int c = "abAB\x80,"[chance(6)];
        random_string(a, 10), random_string(b, chance(2) ? 3 : 10);
        snprintf(detail, sizeof detail, "\"%s\" \"%s\" %zu %d", a, b, n, c);
        SAME("strlen", strlen(a), model_strlen(a));
        SAME("strnlen", strnlen(a, n), model_strnlen(a, n));
        ORDER(strcmp, model_strcmp, a, b);
        ORDER(strncmp, model_strncmp, a, b, n);
        SAME("strchr", strchr(a, c), model_strchr(a, c));
        SAME("strchr 0", strchr(a, 0), model_strchr(a, 0));
        SAME("strrchr", strrchr(a, c), model_strrchr(a, c));
        SAME("strstr", strstr(a, b), model_strstr(a, b));
        SAME("strspn", strspn(a, b), model_strspn(a, b));
        SAME("strcspn", strcspn(a, b), model_strcspn(a, b));
        SAME("strpbrk", strpbrk(a, b), model_strpbrk(a, b));
        SAME("memchr", memchr(a, c, strlen(a)), model_memchr(a, c, strlen(a)));
        ORDER(memcmp, model_memcmp, a, b, n < 3 ? n : 3);
        memset(x, 'z', sizeof x), memset(y, 'z', sizeof y);
        strcpy(x, a), model_strcpy(y, a);
        strcat(x, b), model_strcat(y, b);
        strncat(x, a, n), model_strncat(y, a, n);
        SAME("strcat", memcmp(x, y, sizeof x), 0);
        strncpy(x, b, n), model_strncpy(y, b, n);
        SAME("strncpy", memcmp(x, y, sizeof x), 0);
        char *here = memccpy(x, a, c, strlen(a)), *there = model_memccpy(y, a, c, strlen(a));
        SAME("memccpy", here ? here - x : -1, there ? there - y : -1);
        SAME("memccpy bytes", memcmp(x, y, sizeof x), 0);
        strcpy(x, a), strcpy(y, a);
        char *one = strtok(x, b[0] ? b : ","), *two = model_strtok(y, b[0] ? b : ",");
        for (int i = 0; i < 12; i++) {
            SAME("strtok", one ? one - x : -1, two ? two - y : -1);
            if (!one || !two) break;
            one = strtok(NULL, ","), two = model_strtok(NULL, ",");
        }
        SAME("strtok bytes", memcmp(x, y, strlen(a)), 0);
        char *copy = model_strdup(a), *part = model_strndup(a, n), *expected = strndup(a, n);
        SAME("strdup", strcmp(copy, a), 0);
        SAME("strndup", strcmp(part, expected), 0);
        free(copy), free(part), free(expected);
    }
}

static void wide(void) {
    wchar_t a[16], b[16], x[40] = {0}, y[40] = {0};
    char detail[] = "wide";
    for (int turn = 0; turn < 3000; turn++) {
        unsigned n = chance(8), m = chance(8), k = chance(10);
        for (unsigned i = 0; i < 8; i++) a[i] = (wchar_t)(L'a' + chance(2)), b[i] = (wchar_t)(L'a' + chance(2));
        a[n] = b[m] = 0;
        SAME("wcslen", wcslen(a), model_wcslen(a));
        ORDER(wcscmp, model_wcscmp, a, b);
        ORDER(wcsncmp, model_wcsncmp, a, b, k);
        SAME("wcschr", wcschr(a, L'b'), model_wcschr(a, L'b'));
        SAME("wcsrchr", wcsrchr(a, L'b'), model_wcsrchr(a, L'b'));
        wcscpy(x, a), model_wcscpy(y, a), wcsncat(x, b, k), model_wcsncat(y, b, k);
        SAME("wcsncat", wmemcmp(x, y, 40), 0);
        wcsncpy(x, b, k), model_wcsncpy(y, b, k);
        SAME("wcsncpy", wmemcmp(x, y, 40), 0);
        SAME("wcpcpy", wcpcpy(x, a) - x, model_wcpcpy(y, a) - y);
        SAME("wcpncpy", wcpncpy(x, b, k) - x, model_wcpncpy(y, b, k) - y);
        SAME("wcpncpy text", wmemcmp(x, y, 40), 0);
        current = "places in wide text"; /* the model must allow what the library finds */
        SAME("wcsspn", told_size = wcsspn(a, L"a"), model_wcsspn(a, L"a"));
        SAME("wcscspn", told_size = wcscspn(a, L"b"), model_wcscspn(a, L"b"));
        const wchar_t *at = wcspbrk(a, L"b");
        told_size = at ? (size_t)(at - a) : wcslen(a);
        SAME("wcspbrk", at, model_wcspbrk(a, L"b"));
        at = wcsstr(a, b);
        told_size = at ? (size_t)(at - a) : 0, told_truth = !at;
        SAME("wcsstr", at, model_wcsstr(a, b));
        told = wcscasecmp(a, b);
        SAME("wcscasecmp", wcscasecmp(a, b), model_wcscasecmp(a, b));
        told = wcsncasecmp(a, b, k);
        SAME("wcsncasecmp", wcsncasecmp(a, b, k), model_wcsncasecmp(a, b, k));
        told = 0, told_size = 0, told_truth = 0;
    }
}

static void characters(void) {
    char detail[20];
    for (int c = -1; c < 256; c++) {
        snprintf(detail, sizeof detail, "%d", c);
#define CLASS(name) SAME(#name, !!name(c), !!model_##name(c));
        CLASS(isalnum) CLASS(isalpha) CLASS(isblank) CLASS(iscntrl) CLASS(isdigit) CLASS(isgraph)
        CLASS(islower) CLASS(isprint) CLASS(ispunct) CLASS(isspace) CLASS(isupper) CLASS(isxdigit)
        SAME("tolower", tolower(c), model_tolower(c));
        SAME("toupper", toupper(c), model_toupper(c));
    }
}

#ifdef __GLIBC__
static void tables(void) {
    char detail[20];
    for (int c = -128; c < 256; c++) {
        snprintf(detail, sizeof detail, "%d", c);
        SAME("__ctype_b_loc", (*__ctype_b_loc())[c], (*model___ctype_b_loc())[c]);
        if (c < -1) continue; /* unsigned there, in one way or the other */
        SAME("__ctype_tolower_loc", (*__ctype_tolower_loc())[c], (*model___ctype_tolower_loc())[c]);
        SAME("__ctype_toupper_loc", (*__ctype_toupper_loc())[c], (*model___ctype_toupper_loc())[c]);
    }
}
#else
static void tables(void) {}
#endif

/* -------- numbers and order */

static void numbers(void) {
    char text[40], detail[80];
    for (int turn = 0; turn < 30000; turn++) {
        unsigned n = chance(24), base = (unsigned[]){0, 10, 16, 8, 2, 36}[chance(6)];
        for (unsigned i = 0; i < n; i++)
            text[i] = (i ? "0123456789999xaf- +" : " -+0019x")[chance(i ? 19 - (chance(3) ? 8 : 0) : 8)];
        text[n] = 0;
        snprintf(detail, sizeof detail, "\"%s\" base %u", text, base);
        char *one, *two;
        SAME("strtol", strtol(text, &one, (int)base), model_strtol(text, &two, (int)base));
        SAME("strtol end", one - text, two - text);
        errno = *own_errno() = 0;
        strtol(text, NULL, (int)base), model_strtol(text, NULL, (int)base);
        SAME("errno of strtol", errno, *own_errno());
        SAME("strtoul", strtoul(text, &one, (int)base), model_strtoul(text, &two, (int)base));
        SAME("strtoul end", one - text, two - text);
        SAME("strtoll", strtoll(text, NULL, (int)base), model_strtoll(text, NULL, (int)base));
        SAME("atoi", atoi(text), model_atoi(text));
    }
}

static int ascending(const void *a, const void *b) { return sign(*(const int *)a - *(const int *)b); }

static void order(void) {
    int a[20], b[20];
    char detail[] = "random";
    for (int turn = 0; turn < 2000; turn++) {
        size_t n = chance(20);
        for (size_t i = 0; i < n; i++) a[i] = b[i] = (int)chance(30);
        qsort(a, n, sizeof *a, ascending), model_qsort(b, n, sizeof *b, ascending);
        SAME("qsort", memcmp(a, b, n * sizeof *a), 0);
        int key = (int)chance(30), *found = model_bsearch(&key, a, n, sizeof *a, ascending);
        SAME("bsearch", !bsearch(&key, a, n, sizeof *a, ascending), !found);
        if (found) SAME("bsearch value", *found, key);
    }
}

/* -------- printing */

static void compare_print(size_t size, const char *format, ...) {
    char a[400], b[400], detail[900];
    memset(a, '#', sizeof a), memset(b, '#', sizeof b);
    va_list ap, again;
    va_start(ap, format);
    va_copy(again, ap);
    int n = vsnprintf(a, size, format, ap), m = model_vsnprintf(b, size, format, again);
    va_end(ap), va_end(again);
    if (n != m || memcmp(a, b, sizeof a)) {
        a[399] = b[399] = 0;
        snprintf(detail, sizeof detail, "%s: \"%.100s\" (%d), not \"%.100s\" (%d)", format, b, m, a, n);
        differ("vsnprintf", detail);
    }
}

/* What does not fit is an error; what the memory holds then is left open. */
static void compare_wide(size_t size, const wchar_t *format, ...) {
    wchar_t a[400], b[400];
    char detail[900];
    wmemset(a, L'#', 400), wmemset(b, L'#', 400);
    va_list ap, again;
    va_start(ap, format);
    va_copy(again, ap);
    int n = vswprintf(a, size, format, ap), m = model_vswprintf(b, size, format, again);
    va_end(ap), va_end(again);
    if (n != m || (n >= 0 && wmemcmp(a, b, 400))) {
        a[399] = b[399] = 0;
        snprintf(detail, sizeof detail, "%ls: \"%.100ls\" (%d), not \"%.100ls\" (%d)", format, b, m, a, n);
        differ("vswprintf", detail);
    }
}

static void wide_printing(void) {
    static const wchar_t *integers[] = {L"%d", L"%5d|", L"%-5d|", L"%05d", L"%+d", L"%.3d", L"%8.3d|", L"%u", L"%#x", L"%o"};
    static const wchar_t *texts[] = {L"%ls", L"<%8ls>", L"<%-8ls>", L"%.3ls", L"%10.2ls|", L"a%lsb%%"};
    for (int turn = 0; turn < 2000; turn++) {
        size_t size = chance(3) ? 300 : chance(12);
        wchar_t text[10];
        unsigned n = chance(10);
        for (unsigned i = 0; i < n; i++) text[i] = (wchar_t)(L'a' + chance(26));
        text[n] = 0;
        compare_wide(size, integers[chance(10)], (int)(state >> chance(50)) * (chance(2) ? 1 : -1));
        compare_wide(size, L"%ld|%llx", (long)state, (unsigned long long)state);
        compare_wide(size, texts[chance(6)], text);
        compare_wide(size, (const wchar_t *[]){L"%c", L"%3c|", L"%-3lc|"}[chance(3)], 'q');
        compare_wide(size, L"%*d|%-*ls", (int)chance(9), turn, (int)chance(9), text);
    }
}

static void printing(void) {
    static const char *integers[] = {"%d", "%5d|", "%-5d|", "%05d", "%+d", "% d", "%.3d", "%8.3d|", "%u", "%x", "%X",
                                     "%#x", "%o", "%#o", "%-8x|", "%08x", "%.0d|", "%hhd", "%hd", "%hu", "%+.5d", "%%%d%%"};
    static const char *longs[] = {"%ld", "%lu", "%lx", "%20ld|", "%-20ld|", "%lld", "%llu", "%zu", "%jd", "%td", "%lo"};
    for (int turn = 0; turn < 4000; turn++) {
        int number = (int)(state >> chance(50)) * (chance(2) ? 1 : -1);
        if (chance(8) == 0) number = (int[]){0, 1, -1, 9, 10, 99, 100, -2147483647 - 1, 2147483647}[chance(9)];
        size_t size = chance(3) ? 300 : chance(12);
        compare_print(size, integers[chance(22)], number);
        compare_print(size, longs[chance(11)], (long)state);
        char text[20];
        random_string(text, 15);
        compare_print(size, (const char *[]){"%s", "<%8s>", "<%-8s>", "%.3s", "%10.2s|", "a%sb%%"}[chance(6)], text);
        compare_print(size, (const char *[]){"%c", "%3c|", "%-3c|"}[chance(3)], 'q');
        compare_print(size, "%*d|%-*s|%.*s", (int)chance(9), number, (int)chance(9), text, (int)chance(5), text);
        compare_print(size, "plain text without any conversion");
    }
    static const char *reals[] = {"%f", "%.2f", "%10.1f", "%e", "%g", "%.0f", "%F", "%a", "%+.3e"};
    static const double samples[] = {0, -1.5, 1e8, 1e300, -1e300, 1e-300, 0.1, INFINITY, -INFINITY, NAN, 1.7e308, 12345678.9};
    for (unsigned i = 0; i < 9; i++)
        for (unsigned j = 0; j < 12; j++) {
            char text[700];
            current = reals[i];
            /* The model asks for the length of the number, then for its characters. */
            char plain[16];
            snprintf(plain, sizeof plain, "%s", reals[i]);
            told = snprintf(text, sizeof text, reals[i], samples[j]);
            while (text[0] == ' ' && told > 1) memmove(text, text + 1, sizeof text - 1), told--;
            char out[700];
            model_snprintf(out, sizeof out, reals[i], samples[j]);
        }
}

/* -------- scanning */

static void scanning(void) {
    static const char *formats[] = {"%d", "%3d%d", "%x %x", "%i", "%d,%d", "%s %s", "%4s", "%[a-c]%s", "%[^,],%d",
                                    "%c%c", "%*d %d", "%d%n", "%o", "%u%%%u", "a%d", "%2c", "%[]a]", "%hd", "%x", "%d %s %d"};
    char text[40], detail[140];
    for (int turn = 0; turn < 40000; turn++) {
        unsigned n = chance(14);
        for (unsigned i = 0; i < n; i++) text[i] = "0123456789 ,-+xabcf%] "[chance(22)];
        text[n] = 0;
        /* Overflow of the number is undefined. */
        const char *format = formats[chance(20)];
        long long a[8], b[8];
        memset(a, 7, sizeof a), memset(b, 7, sizeof b);
        int one = sscanf(text, format, a, a + 3, a + 6), two = model_sscanf(text, format, b, b + 3, b + 6);
        snprintf(detail, sizeof detail, "\"%s\" by \"%s\": %d, not %d", text, format, two, one);
        SAME("sscanf", one, two);
        for (int i = 0; i < 8; i++) {
            if (a[i] != b[i] && strpbrk(format, "diuxo") && n > 10) continue;
            SAME("sscanf value", a[i], b[i]);
        }
    }
}

/* -------- mathematics */

static int same_double(double a, double b) { return a == b ? signbit(a) == signbit(b) : a != a && b != b; }

static void mathematics(void) {
    static const double special[] = {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1e300, -1e300, 1e-300, 5e-324,
                                     INFINITY, -INFINITY, NAN, 3.14159, 1e16, 4503599627370497.5, 2, 1e9, -745, 710};
    char detail[60];
    for (int turn = 0; turn < 4000; turn++) {
        double x = special[chance(23)], y = special[chance(23)];
        if (chance(2)) x = ((double)chance(2000000) - 1000000) / (chance(2) ? 1000 : 1000000);
        if (chance(2)) y = ((double)chance(2000000) - 1000000) / 1000;
        snprintf(detail, sizeof detail, "%a %a", x, y);
#define EXACTLY(name) \
    if (!same_double(name(x), model_##name(x))) differ(#name, detail);
        EXACTLY(sqrt) EXACTLY(fabs) EXACTLY(floor) EXACTLY(ceil) EXACTLY(trunc) EXACTLY(round) EXACTLY(rint)
        EXACTLY(nearbyint)
#define EXACTLY_TWO(name) \
    if (!same_double(name(x, y), model_##name(x, y)) && !(x == 0 && y == 0)) differ(#name, detail);
        EXACTLY_TWO(fmod) EXACTLY_TWO(fmax) EXACTLY_TWO(fmin) EXACTLY_TWO(fdim)
        EXACTLY_TWO(nextafter) EXACTLY_TWO(remainder)
        if (!same_double(remainderf((float)x, (float)y), model_remainderf((float)x, (float)y))) differ("remainderf", detail);
        EXACTLY(logb)
        if (!same_double(logbf((float)x), model_logbf((float)x))) differ("logbf", detail);
        if (x == x && x != 0) SAME("ilogb", ilogb(x), model_ilogb(x));
        if ((float)x == (float)x && (float)x != 0) SAME("ilogbf", ilogbf((float)x), model_ilogbf((float)x));
        int n = (int)(chance(2) ? chance(40) - 20 : chance(5000) - 2500), exponent, model_exponent;
        snprintf(detail, sizeof detail, "%a, %d", x, n);
        if (!same_double(ldexp(x, n), model_ldexp(x, n))) differ("ldexp", detail);
        if (!same_double(ldexpf((float)x, n / 8), model_ldexpf((float)x, n / 8))) differ("ldexpf", detail);
        if (!same_double(scalbln(x, n * 1000L), model_scalbln(x, n * 1000L))) differ("scalbln", detail);
        snprintf(detail, sizeof detail, "%a %a", x, y);
        exponent = model_exponent = 0;
        if (!same_double(frexp(x, &exponent), model_frexp(x, &model_exponent))) differ("frexp", detail);
        if (x - x == 0) SAME("frexp", exponent, model_exponent);
        if (!same_double(frexpf((float)x, &exponent), model_frexpf((float)x, &model_exponent))) differ("frexpf", detail);
        if ((float)x - (float)x == 0) SAME("frexpf", exponent, model_exponent);
        SAME("nextafterf", nextafterf((float)x, (float)y) == model_nextafterf((float)x, (float)y), 1 - (x != x || y != y));
        double whole, part, model_whole, model_part;
        part = modf(x, &whole), model_part = model_modf(x, &model_whole);
        if (!(part == model_part || x != x) || !(whole == model_whole || x != x)) differ("modf", detail);
        if (x > -1e9 && x < 1e9) {
            SAME("lround", lround(x), model_lround(x));
            SAME("lrint", lrint(x), model_lrint(x));
        }
        /* Contracts: the real value must be allowed. */
#define ALLOWED(name) \
    snprintf(detail, sizeof detail, #name "(%a)", x), current = detail, real_value = name(x), model_##name(x), \
        real_value = name##f((float)x), model_##name##f((float)x);
        ALLOWED(sin) ALLOWED(cos) ALLOWED(tan) ALLOWED(asin) ALLOWED(acos) ALLOWED(atan) ALLOWED(sinh) ALLOWED(cosh)
        ALLOWED(tanh) ALLOWED(exp) ALLOWED(exp2) ALLOWED(expm1) ALLOWED(log) ALLOWED(log2) ALLOWED(log10)
        ALLOWED(log1p) ALLOWED(cbrt) ALLOWED(erf) ALLOWED(erfc) ALLOWED(asinh) ALLOWED(acosh) ALLOWED(atanh)
        ALLOWED(exp10) ALLOWED(tgamma)
#define ALLOWED_TWO(name) \
    snprintf(detail, sizeof detail, #name "(%a, %a)", x, y), current = detail, real_value = name(x, y), \
        model_##name(x, y), real_value = name##f((float)x, (float)y), model_##name##f((float)x, (float)y);
        ALLOWED_TWO(pow) ALLOWED_TWO(atan2) ALLOWED_TWO(hypot)
    }
}

static void bytes_in_order(void) {
    for (int i = 0; i < 100; i++) {
        unsigned x = chance(1u << 31) * 2 + chance(2);
        char detail[40];
        snprintf(detail, sizeof detail, "%#x", x);
        SAME("htonl", htonl(x), model_htonl(x));
        SAME("ntohs", ntohs((unsigned short)x), model_ntohs((unsigned short)x));
    }
}

static void kinds(void) {
    const double some[] = {0.0, -0.0, 1.5, -1e300, 1e-310, INFINITY, -INFINITY, NAN};
    for (unsigned i = 0; i < sizeof some / sizeof *some; i++) {
        char detail[40];
        snprintf(detail, sizeof detail, "%g", some[i]);
        SAME("isnan", !!isnan(some[i]), !!model___isnan(some[i]));
        SAME("isinf", !!isinf(some[i]), !!model___isinf(some[i]));
        SAME("isfinite", !!isfinite(some[i]), !!model___finite(some[i]));
        SAME("signbit", !!signbit(some[i]), !!model___signbit(some[i]));
        SAME("fpclassify", fpclassify(some[i]), model___fpclassify(some[i]));
    }
}

double complex model___muldc3(double, double, double, double);
float complex model___mulsc3(float, float, float, float);
void model___vouch_at_exit(void);

static double part(void) {
    static const double odd[] = {0, -0.0, 1, -2.5, 1e300, -1e300, 1e-310, INFINITY, -INFINITY, NAN};
    return chance(2) ? odd[chance(10)] : (double)chance(2000) - 1000;
}

/* The compiler's own library is what the products of this program call. */
static void products(void) {
    for (int i = 0; i < 20000; i++) {
        volatile double complex x = __builtin_complex(part(), part()), y = __builtin_complex(part(), part());
        double complex p = x * y, q = model___muldc3(creal(x), cimag(x), creal(y), cimag(y));
        if (!same_double(creal(p), creal(q)) || !same_double(cimag(p), cimag(q))) differ("product", "double");
        volatile float complex a = __builtin_complex((float)creal(x), (float)cimag(x)), b = __builtin_complex((float)creal(y), (float)cimag(y));
        float complex c = a * b, d = model___mulsc3(crealf(a), cimagf(a), crealf(b), cimagf(b));
        if (!same_double(crealf(c), crealf(d)) || !same_double(cimagf(c), cimagf(d))) differ("product", "float");
    }
}

static char ran[4];
static void a(void) { strcat(ran, "a"); }
static void b(void) { strcat(ran, "b"); }
static void c(void *what) { strcat(ran, what); }

/* C11 7.22.4.4: in the reverse order of their registration. */
static void ending(void) {
    int model___cxa_atexit(void (*)(void *), void *, void *);
    model_atexit(a), model___cxa_atexit(c, "c", NULL), model_atexit(b);
    model___vouch_at_exit();
    if (strcmp(ran, "bca")) differ("atexit", ran);
}

int main(void) {
    products(), ending();
    bytes_in_order(), kinds();
    strings(), wide(), characters(), tables(), numbers(), order(), printing(), wide_printing(), scanning(), mathematics();
    printf("%d differences\n", failures);
    return 0;
}
