// A turn of the loop stores the address of a variable, a later one writes there.
#include <assert.h>

int run(const unsigned char *text, unsigned n) {
    int mine = 1, other = 0;
    int *slots[4] = {&other, &other, &other, &other};
    for (unsigned i = 0; i < n && i < 3; i++) {
        *slots[text[i] & 3] = 2;
        if (text[i] == 7) {
            slots[text[i] & 3] = &mine;
        }
    }
    assert(mine == 1); // expect: assertion unsafe
    return other;
}
