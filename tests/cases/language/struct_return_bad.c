// What follows a call that returns a struct of which nothing is known is reached.
#include <assert.h>

struct reading {
    long value;
    int state;
};

static struct reading last[2] = {{1, -61}, {1, -61}};

static struct reading get(void) { return last[1]; }

int main(void) {
    last[1] = get();
    assert(last[0].value == 2); // expect: assertion unsafe
    return 0;
}
