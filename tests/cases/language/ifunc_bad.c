// replay: no
// Which function an ifunc is, another one says when the program is loaded: what it names is called.
static int quotient(int x) {
    return 10 / x; // expect: division-by-zero unsafe
}
static int same(int x) {
    return x;
}
static int fast;
static void *choose(void) {
    return fast ? (void *)same : (void *)quotient;
}
int f(int) __attribute__((ifunc("choose")));
int main(void) {
    return f(0);
}
