/* What the native run of random libraries needs: chance, what fired, what is initialised, what is alive.
 * The sanitizer's handlers are here as well: a check that fires is noted, and where C says nothing about what
 * comes next, the run ends. */
#define NATIVE
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ASSERTION, OVERFLOW, DIVISION, SHIFT, BOUNDS, POINTER, NARROWING, UNINITIALISED, KINDS };
static const char *const kind_names[] = {"assertion", "signed-overflow", "division-by-zero", "shift",
                                         "bounds",    "pointer",         "narrowing",        "uninitialised"};

#define LINES 1024
static unsigned fired_at[LINES][KINDS];
static jmp_buf over;
static unsigned long long chance_state;
static int steps, nesting;
static int callers;  /* whether objects that the caller of the library owns may be picked */
static int entering; /* whether those that functions outside keep for themselves may not */

static unsigned rnd(void)
{
    unsigned long long z = (chance_state += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return (unsigned)((z ^ (z >> 31)) >> 33);
}

static unsigned below(unsigned n) { return rnd() % n; }

static long number(void)
{
    static const long some[] = {0, 1, 2, 3, 3, 4, 5, 7, 32, 100, 255, -1, -2, 2147483647, -2147483647L - 1};
    return some[below(sizeof some / sizeof *some)];
}

static void end_run(void) { longjmp(over, 1); }

static void step(void)
{
    if (++steps > 300) end_run();
}

static void fired(int kind, unsigned line)
{
    if (line < LINES) fired_at[line][kind]++;
}

#define assert(e) ((e) ? (void)0 : (fired(ASSERTION, __LINE__), end_run()))

/* ---------------------------------------------------------------- what is initialised */

static struct { char *start; unsigned long size, missing; } unset[16];
static int unset_count;

static void note_unset(void *start, unsigned long size)
{
    memset(start, 0x5A, size);
    if (unset_count == 16) end_run();
    unset[unset_count].start = start;
    unset[unset_count].size = size;
    unset[unset_count++].missing = size >= 64 ? ~0ul : (1ul << size) - 1;
}

static unsigned long *missing_bits(char *at, unsigned long *bits, unsigned long size)
{
    for (int i = 0; i < unset_count; i++) {
        if (at + size > unset[i].start && at < unset[i].start + unset[i].size) {
            long shift = at - unset[i].start;
            unsigned long mask = size >= 64 ? ~0ul : (1ul << size) - 1;
            *bits = shift >= 0 ? mask << shift : mask >> -shift;
            return &unset[i].missing;
        }
    }
    return 0;
}

static void wrote(void *at, unsigned long size)
{
    unsigned long bits, *missing = missing_bits(at, &bits, size);
    if (missing) *missing &= ~bits;
}

static void used(void *at, unsigned long size, unsigned line)
{
    unsigned long bits, *missing = missing_bits(at, &bits, size);
    if (missing && (*missing & bits)) {
        fired(UNINITIALISED, line);
        end_run();
    }
}

static void called(void *function, unsigned line)
{
    if (!function) {
        fired(POINTER, line);
        end_run();
    }
}

/* A struct that is copied: the sanitizer does not look at where it is. */
static void copied(const void *at, unsigned line)
{
    if ((unsigned long)at < 4096) {
        fired(POINTER, line);
        end_run();
    }
}

/* ---------------------------------------------------------------- what is alive, and known outside */

enum { LISTS = 128, LENGTH = 24 };
static void *known[LISTS][LENGTH];
static int known_count[LISTS];
static int (*every_pointer)(int (*test)(const void *)); /* whether the test holds for some pointer in memory */
static char *dead_below;

static void remember(int list, const void *pointer)
{
    if (!pointer) return;
    int at = known_count[list] < LENGTH ? known_count[list]++ : (int)below(LENGTH);
    known[list][at] = (void *)pointer;
}

static const char *shared, *shared_end;
static int is_shared(const void *pointer)
{
    return (const char *)pointer >= shared && (const char *)pointer < shared_end;
}

static void *recall(int list)
{
    void *found = known_count[list] ? known[list][below((unsigned)known_count[list])] : 0;
    return entering && is_shared(found) ? 0 : found;
}

struct knowledge { void *known[LISTS][LENGTH]; int count[LISTS]; };
static const char *data_start, *data_end; /* the library's variables */

/* Where an execution of the library starts, functions outside know nothing of the objects that its caller passes:
 * of what they were given before they keep the library's variables alone. `before` gets the rest. */
static void forget(struct knowledge *before)
{
    memcpy(before->known, known, sizeof known);
    memcpy(before->count, known_count, sizeof known_count);
    for (int list = 0; list < LISTS; list++) {
        int kept = 0;
        for (int i = 0; i < known_count[list]; i++)
            if ((char *)known[list][i] >= data_start && (char *)known[list][i] < data_end)
                known[list][kept++] = known[list][i];
        known_count[list] = kept;
    }
}

static void know_again(const struct knowledge *before)
{
    memcpy(known, before->known, sizeof known);
    memcpy(known_count, before->count, sizeof known_count);
}

/* While a function of the library waits, others do not write what its caller owns, though visible pointers lead
 * there: neither do functions of the library that are called meanwhile. */
static char *own_start, *own_stop;
static char waiting[4][1 << 14];
static void wait_for(int level)
{
    if (own_stop - own_start > (long)sizeof *waiting) end_run();
    memcpy(waiting[level], own_start, (unsigned long)(own_stop - own_start));
}
/* What a pointer in one of the library's variables leads to, if it may be written now. */
static void *led_to(const void *from, const void *to)
{
    int variable = (const char *)from >= data_start && (const char *)from < data_end;
    int owned = (const char *)to >= own_start && (const char *)to < own_stop;
    return !callers && variable && owned ? 0 : (void *)to;
}
static void go_on(int level) { memcpy(own_start, waiting[level], (unsigned long)(own_stop - own_start)); }

static int nulls;
static int is_null(const void *pointer) { return pointer == 0; }
static int count_null(const void *pointer) { nulls += pointer == 0; return 0; }

static int null_pointers(void)
{
    nulls = 0;
    every_pointer(count_null);
    return nulls;
}
static int is_dead(const void *pointer)
{
    return (const char *)pointer < dead_below && (const char *)pointer > dead_below - (1 << 20);
}

/* A function of the library ends: what still leads to its variables must not be used any more. What was passed in
 * memory lies a little above its frame. */
static void leave(char *frame, void *result)
{
    dead_below = frame + 80;
    for (int list = 0; list < LISTS; list++) {
        int kept = 0;
        for (int i = 0; i < known_count[list]; i++)
            if (!is_dead(known[list][i])) known[list][kept++] = known[list][i];
        known_count[list] = kept;
    }
    while (unset_count && is_dead(unset[unset_count - 1].start)) unset_count--;
    if (is_dead(result) || every_pointer(is_dead)) end_run();
}

/* The place is worked out once: the store may change what leads to it. */
#define SET(place, value)                     \
    do {                                      \
        __typeof__(place) value_ = (value);   \
        __typeof__(place) *at_ = &(place);    \
        copied((void *)at_, __LINE__);        \
        *at_ = value_;                        \
        wrote((void *)at_, sizeof value_);    \
    } while (0)
#define FILL(place, byte)                       \
    do {                                        \
        __typeof__(place) *at_ = &(place);      \
        copied((void *)at_, __LINE__);          \
        memset((void *)at_, byte, sizeof *at_); \
        wrote((void *)at_, sizeof *at_);        \
    } while (0)
/* Behind the end of an object another may begin, which is nobody's mistake: vouch takes them to lie apart. */
static int (*begins)(const void *at);
static int is_next(const void *behind, const void *other)
{
    if (behind == other && begins(other)) end_run();
    return behind == other;
}
#define NEXT(p, q) is_next((const void *)((p) + 1), (const void *)(q))
#define USE(place) (used((void *)&(place), sizeof(place), __LINE__), (place))
#define WHOLE(place) (copied((void *)&(place), __LINE__), (place))
/* A function pointer that was set to zero: a violation, and nothing to run. */
#define CALLED(place) (called((void *)(place), __LINE__), (place))
#define UNSET(declaration, name) declaration; note_unset((void *)&name, sizeof name)
#define ELSEWHERE /* it is part of this program */
#define ENTER step()
#define LEAVE leave(__builtin_frame_address(0), 0)
#define RETURN(value)                                                                  \
    do {                                                                               \
        leave(__builtin_frame_address(0), (void *)(unsigned long)(value));             \
        return (value);                                                                \
    } while (0)

static char heap[1 << 16];
static unsigned long heap_used;
static void *own_malloc(unsigned long size)
{
    if (heap_used + size + 16 > sizeof heap) end_run();
    void *at = heap + heap_used;
    heap_used += (size + 15) / 16 * 16;
    return at;
}
#define malloc(size) own_malloc(size)

/* ---------------------------------------------------------------- the sanitizer's handlers */

struct place { const char *file; unsigned line, column; };

static void violated(int kind, const struct place *place, int stops)
{
    if (strcmp(place->file, "library") != 0) {
        printf("outside %s:%u %s\n", place->file, place->line, kind_names[kind]);
        fflush(stdout);
        _exit(3);
    }
    fired(kind, place->line);
    if (stops) end_run();
}

#define HANDLER(name, kind, stops) \
    void __ubsan_handle_##name(struct place *data, ...) { violated(kind, data, stops); }
HANDLER(add_overflow, OVERFLOW, 0)
HANDLER(sub_overflow, OVERFLOW, 0)
HANDLER(mul_overflow, OVERFLOW, 0)
HANDLER(negate_overflow, OVERFLOW, 0)
HANDLER(divrem_overflow, DIVISION, 1)
HANDLER(shift_out_of_bounds, SHIFT, 1)
HANDLER(out_of_bounds, BOUNDS, 1)
HANDLER(type_mismatch_v1, POINTER, 1)
HANDLER(implicit_conversion, NARROWING, 0)

/* ---------------------------------------------------------------- runs */

struct program {
    const char *name;
    void (*run)(void);
    int (*every_pointer)(int (*)(const void *));
    int (*begins)(const void *);
    char *data, *end;    /* its variables */
    char *own, *own_end; /* its caller's */
    char *shared, *shared_end;
};

static void try_out(const struct program *program, unsigned runs)
{
    unsigned long size = (unsigned long)(program->end - program->data);
    char *start = (malloc)(size + 1);
    memcpy(start, program->data, size);
    every_pointer = program->every_pointer;
    begins = program->begins;
    data_start = program->data;
    data_end = program->end;
    own_start = program->own;
    own_stop = program->own_end;
    shared = program->shared;
    shared_end = program->shared_end;
    for (volatile unsigned run = 0; run < runs; run++) {
        chance_state = run;
        memcpy(program->data, start, size);
        memset(program->own, 0, (unsigned long)(program->own_end - program->own));
        memset(known_count, 0, sizeof known_count);
        memset(program->shared, 0, (unsigned long)(program->shared_end - program->shared));
        steps = nesting = unset_count = entering = 0;
        heap_used = 0;
        if (!setjmp(over)) program->run();
    }
    for (unsigned line = 0; line < LINES; line++)
        for (int kind = 0; kind < KINDS; kind++)
            if (fired_at[line][kind])
                printf("%s %u %s %u\n", program->name, line, kind_names[kind], fired_at[line][kind]);
    printf("%s done\n", program->name);
}

static void try_all(const struct program *programs, unsigned count, unsigned runs)
{
    for (unsigned i = 0; i < count; i++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            alarm(60);
            try_out(&programs[i], runs);
            fflush(stdout);
            _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (status) printf("%s crash %d\n", programs[i].name, status);
    }
}
