// The same where a callee is not followed: the function is looked at alone.
void ext(void);
static int *held;

static int spin(int n) {
    int mixed = 0;
    for (int i = 0; i < n; i++) {
        mixed ^= i;
    }
    return mixed;
}

void set(int *p) {
    held = p;
}

void drop(void) {
    held = 0;
}

int use(int *p, int n) {
    int mixed = spin(n);
    held = p;
    ext();
    return *held ^ mixed; // expect: pointer cond-unsafe
}
