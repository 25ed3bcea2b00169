// A callee leaves null in what the caller got from outside and has not looked at before.
struct frame { int words[4]; char *text; };

static int clear(struct frame *f, int n) {
    int mixed = 0;
    for (int i = 0; i < n; i++) {
        mixed ^= i;
        f->text = 0;
    }
    return mixed;
}

int api(struct frame *f, unsigned i, int n) {
    int mixed = clear(f, n);
    int word = f->words[i & 3];
    return (*f->text ^ word) ^ mixed; // expect: pointer unsafe
}
