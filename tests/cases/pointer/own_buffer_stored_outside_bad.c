// A callee stores the address of a small buffer into memory from outside: what is read there afterwards is
// no larger than that buffer.
static char buffer[4];

struct writer {
    char *out;
};

static void reset(struct writer *w) { w->out = buffer; }

void write_far(struct writer *w) {
    reset(w);
    w->out[100] = 1; // expect: pointer unsafe
}
