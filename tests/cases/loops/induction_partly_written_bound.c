// options: --unwind 4 --timeout 20
// One entry of the table is never written, which shows only after many iterations: no proof by induction.
int __VERIFIER_nondet_int(void);

int main(void) {
    int table[200];
    int filled = 0;
    table[0] = 1;
    while (__VERIFIER_nondet_int()) {
        if (filled < 199) {
            filled++;
            if (filled != 150) {
                table[filled] = filled;
            }
        }
        int j = __VERIFIER_nondet_int();
        if (j >= 0 && j <= filled && table[j] == 3) { // expect: uninitialised bound-safe|unknown
            table[j] = 4;
        }
    }
    return 0;
}
