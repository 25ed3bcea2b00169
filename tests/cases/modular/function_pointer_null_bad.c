typedef int (*op)(int);

static int twice(int x) { return x & 1; }

static int apply(op f, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum ^= f(i); // expect: pointer unsafe
    }
    return sum;
}

int api(int n) { return apply(n == 7 ? (op)0 : twice, n); }
