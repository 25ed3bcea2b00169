// Validity says nothing about size: one caller passes four bytes, another one something from outside.
static int at(const char *p, int i) {
    return p[i & 7]; // expect: pointer unsafe
}

int api(int i) {
    char four[4] = {0, 0, 0, 0};
    return at(four, i);
}

int other(const char *p, int i) { return at(p, i); }
