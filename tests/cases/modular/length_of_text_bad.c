// The length of a text that an inner function is given is not zero because the pointer may be invalid.
#include <string.h>

static int last(const char *text, int n) {
    char copy[4] = {0, 0, 0, 0};
    size_t length = strlen(text);
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum ^= copy[length & 7]; // expect: bounds unsafe
    }
    return sum;
}

int api(int n) { return last("hello", n); }

int other(const char *text, int n) { return last(text, n); }
