#include <assert.h>
#include <stddef.h>

void __VERIFIER_nondet_memory(void *, size_t);

struct frame {
    int head;
    int words[5];
};

int main(void)
{
    struct frame f = {1, {2, 3, 4, 5, 6}};
    __VERIFIER_nondet_memory(f.words, sizeof f.words);
    assert(f.head == 1);
    return 0;
}
