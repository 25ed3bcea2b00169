static char buffer[4];

struct writer {
    char *out;
};

static void reset(struct writer *w) { w->out = buffer; }

void write_near(struct writer *w) {
    reset(w);
    w->out[3] = 1;
}
