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
    m->length = 4;
    for (unsigned i = 0; i < m->length; i++) {
        m->data[i] = 0;
    }
    int r = m->data[3];
    free(m);
    return r;
}
