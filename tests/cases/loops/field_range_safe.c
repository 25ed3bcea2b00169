// What ranges know of a member at a loop head is assumed in the inductive step.
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
            ring.at = (ring.at + 3) % 7;
        }
        if (ring.at * ring.at == 17) {
            reach_error();
        }
    }
    return 0;
}
