// What is stored is a pointer from outside as well.
struct holder { char *text; };

static int spin(int n) {
    int mixed = 0;
    for (int i = 0; i < n; i++) {
        mixed ^= i;
    }
    return mixed;
}

int api(char **place, struct holder *h, char *text, int n) {
    *place = text;
    return spin(n) ^ *h->text; // expect: pointer safe
}
