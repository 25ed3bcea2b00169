// The program itself stored null in its global before it calls.
struct item {
    int n;
};

static struct item *current;

static int get(int times) {
    int sum = 0;
    for (int i = 0; i < times; i++) {
        sum ^= current->n; // expect: pointer unsafe
    }
    return sum;
}

int drop(int times) {
    current = 0;
    return get(times);
}
