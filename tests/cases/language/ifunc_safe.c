// Which function an ifunc is, another one says when the program is loaded; structs travel through it whole.
struct pair {
    int a[9];
};
static int quotient(int x) {
    return 10 / x;
}
static struct pair half(struct pair p) {
    p.a[8] /= 2;
    return p;
}
static void *choose(void) {
    return (void *)quotient;
}
static void *choose_half(void) {
    return (void *)half;
}
int f(int) __attribute__((ifunc("choose")));
struct pair g(struct pair) __attribute__((ifunc("choose_half")));
int main(void) {
    struct pair p = {{0, 0, 0, 0, 0, 0, 0, 0, 8}};
    struct pair q = g(p);
    return f(q.a[8]) + f(p.a[8]) / (p.a[8] - q.a[8]);
}
