// The same with an array, and a literal that is only read.
static void mark(char *text) { text[0] = 'x'; }

static int first(const char *text) { return text[2]; }

int main(void) {
    char text[] = "abc";
    mark(text);
    return first("abc") == 'c' ? 0 : 1;
}
