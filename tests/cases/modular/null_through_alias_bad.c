// Null is stored through one pointer from outside and read through another; a callee that is not followed lies between.
struct holder { char *text; };

static int spin(int n) {
    int mixed = 0;
    for (int i = 0; i < n; i++) {
        mixed ^= i;
    }
    return mixed;
}

int api(char **place, struct holder *h, int n) {
    *place = 0;
    return spin(n) ^ *h->text; // expect: pointer unsafe
}
