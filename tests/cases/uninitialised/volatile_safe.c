int level(void) {
    volatile int v = 3;
    return v;
}
