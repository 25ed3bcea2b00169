/* Everything that C can say in small: read by test_reader.py. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node { int a; char b[3]; struct node *next; unsigned f : 3, g : 5; };
union number { int i; float f; double d; };
enum colour { RED, GREEN = 5 };
struct big { long a[10]; };
struct __attribute__((packed)) tight { char c; int i; };
typedef unsigned char u8;
typedef int (*callback)(int, void *);
typedef int vec4 __attribute__((vector_size(16)));

struct node first = {1, "ab", &first, 2, 3};
static int table[4] = {1, 2, 3};
int matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
callback handler;
const char *message = "he\"llo\\\n\x01";
int *inside = &table[2];
long distance = (long)&table[1];
float small = 1.5f;
double precise = 0.1;
long double wide = 2.5L;
struct tight tight = {'x', -7};
extern int elsewhere;
_Thread_local int own = 3;
volatile int device;

int sum(int n, ...) {
    va_list ap;
    va_start(ap, n);
    int s = 0;
    for (int i = 0; i < n; i++) s += va_arg(ap, int);
    va_end(ap);
    return s;
}

struct big make(struct big b, u8 x) {
    b.a[x] = x;
    return b;
}

int pick(enum colour c, union number u) {
    switch (c) {
    case RED: return 1;
    case GREEN: return u.i;
    default: return 0;
    }
}

static int twice(int x, void *context) { return 2 * x + *(int *)context; }

long double scale(long double x) { return x * 2.5L; }

unsigned bits(unsigned x, int n) { return (x << n) ^ (x >> (n & 7)) | ~x & -x; }

int floats(double d, float f) { return d < f || f != f || d == 1.0 ? (int)(d * f - 1) : (int)-f; }

vec4 lanes(vec4 a, vec4 b) { return a + b * a[1]; }

int main(int argc, char **argv) {
    struct big b = {0}, c = make(b, 3);
    int vla[argc];
    void *jumps[] = {&&one, &&two};
    vla[0] = isalpha(argv[0][0]);
    goto *jumps[argc & 1];
one:
    printf("%d\n", vla[0] / argc);
two:
    if (argc > 3 && table[argc]) return handler(argc, &c);
    first.f = argc;
    static int counter;
    counter++;
    __int128 q = argc;
    q *= q;
    __sync_fetch_and_add(&counter, 1);
    _Atomic int at = 3;
    at += 2;
    int expected = 5;
    __atomic_compare_exchange_n(&counter, &expected, 6, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    __sync_synchronize();
    char *s = strdup(message);
    free(s);
    handler = twice;
    device = device + own + elsewhere;
    __asm__ volatile("nop, !dbg !0" ::: "memory");
    struct node *p = &first;
    do {
        p = p->next ? p->next : (struct node *)0;
    } while (p && p->a != 4);
    return sum(2, 1, (int)(c.a[0] + (int)q)) + *inside + matrix[1][argc & 1] + (argc > 1 ? (short)argc : 0);
}
