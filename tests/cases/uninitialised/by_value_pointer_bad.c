// A pointer and a number, stored through a pointer, read elsewhere.
struct span {
    const char *start;
    long length;
};

static struct span open_span(const char *start)
{
    struct span s;
    s.start = start;
    return s;
}

static void put(struct span *to, const char *start) { *to = open_span(start); }

int main(void)
{
    struct span s = {"", 0};
    put(&s, "abc");
    return s.start[0] == 'a' && s.length == 3; // expect: uninitialised unsafe
}
