static int scale(const int *factor, int x) {
    if (factor == 0) {
        return 100 / x;
    }
    return *factor;
}

int api(int x) { return scale(0, x == 0 ? 1 : x); }

int other(const int *factor) { return scale(factor, 1); }
