// A function that the program calls with null gains nothing from the assumption that outside pointers are valid.
static int scale(const int *factor, int x) {
    if (factor == 0) {
        return 100 / x; // expect: division-by-zero unsafe
    }
    return *factor;
}

int api(int x) { return scale(0, x); }

int other(const int *factor) { return scale(factor, 1); }
