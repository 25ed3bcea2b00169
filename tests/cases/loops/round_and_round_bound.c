// A ring has no end: the bound holds although each test is decided.
// options: --strategy global --unwind 8
struct station {
    struct station *next;
    int stop;
};

int main(void) {
    struct station a = {0, 0}, b = {&a, 0};
    a.next = &b;
    struct station *at = &a;
    while (!at->stop && at) { // maybe: pointer bound-safe; uninitialised bound-safe
        at = at->next; // maybe: pointer bound-safe; uninitialised bound-safe
    }
    return 1 / at->stop; // expect: division-by-zero bound-safe; pointer bound-safe; uninitialised bound-safe
}
