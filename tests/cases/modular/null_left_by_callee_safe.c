// The callee leaves null in another member.
struct frame { int words[4]; char *text; char *other; };

static int clear(struct frame *f, int n) {
    int mixed = 0;
    for (int i = 0; i < n; i++) {
        mixed ^= i;
        f->other = 0;
    }
    return mixed;
}

int api(struct frame *f, unsigned i, int n) {
    char *text = f->text;
    int mixed = clear(f, n);
    int word = f->words[i & 3];
    return (*text ^ word) ^ mixed; // expect: pointer safe
}
