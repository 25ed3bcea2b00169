static int sum(const int *p, int n) {
    int total = 0;
    for (int i = 0; i < n; i++) {
        total ^= *p; // expect: uninitialised unsafe
    }
    return total;
}

int api(int n) {
    int x;
    return sum(&x, n);
}

int other(const int *p, int n) { return sum(p, n); }
