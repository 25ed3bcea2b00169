// Nobody stores null.
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
    held = held;
}

int use(int *p, int n) {
    int mixed = spin(n);
    held = p;
    ext();
    return *held ^ mixed; // expect: pointer safe
}
