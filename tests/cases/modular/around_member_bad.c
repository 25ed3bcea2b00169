// A callee reaches the struct around the member that it was given.
#include <assert.h>
#include <stddef.h>

struct node {
    int key;
    int link;
};

static void touch(int *link, int n) {
    struct node *whole = (struct node *)((char *)link - offsetof(struct node, link));
    for (int i = 0; i < n; i++) {
        whole->key = i;
    }
}

int api(int n) {
    struct node own = {0, 0};
    touch(&own.link, n);
    assert(own.key == 0); // expect: assertion unsafe
    return own.key;
}
