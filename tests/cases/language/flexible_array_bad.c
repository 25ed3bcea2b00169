#include <stdlib.h>
struct message {
    unsigned length;
    unsigned char data[];
};

int main(void)
{
    struct message *m = malloc(sizeof *m + 4);
    if (!m) {
        return 1;
    }
    m->length = 5;
    for (unsigned i = 0; i < m->length; i++) {
        m->data[i] = 0; // expect: pointer unsafe
    }
    free(m);
    return 0;
}
