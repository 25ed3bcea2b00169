int sum(int a, int b) {
    long r;
    if (__builtin_add_overflow(a, b, &r)) return -1;
    return r; // expect: narrowing unsafe
}
