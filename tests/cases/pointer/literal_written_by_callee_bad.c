// A string literal passed to a function that writes: the callee may not be proved from the size alone.
static void mark(char *text) {
    text[0] = 'x'; // expect: pointer unsafe
}

int main(void) {
    mark("abc");
    return 0;
}
