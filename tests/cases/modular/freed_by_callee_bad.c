// A callee frees, by another name, what the caller goes on using.
#include <stdlib.h>

struct owner {
    char *data;
};

static void reset(struct owner *o, int n) {
    for (int i = 0; i < n; i++) {
        if (o->data != 0) {
            free(o->data);
            o->data = 0;
        }
    }
}

char api(int n) {
    struct owner o;
    char *data = malloc(4);
    if (data == 0) {
        return 0;
    }
    data[0] = 1;
    o.data = data;
    reset(&o, n);
    char first = data[0]; // expect: pointer unsafe
    if (o.data != 0) {
        free(o.data);
    }
    return first;
}
