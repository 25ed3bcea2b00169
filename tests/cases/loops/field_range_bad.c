// The twin of field_range_safe.c whose member reaches the value.
// options: --strategy k-induction
int nondet_int(void);
void reach_error(void);

struct ring {
    int used;
    unsigned at;
};

int main(void) {
    struct ring ring = {0, 0};
    while (nondet_int()) {
        if (nondet_int()) {
            ring.at = (ring.at + 3) % 5;
        }
        if (ring.at * ring.at == 16) {
            reach_error(); // expect: assertion unsafe
        }
    }
    return 0;
}
