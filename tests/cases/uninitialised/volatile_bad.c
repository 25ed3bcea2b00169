int level(void) {
    volatile int v;
    return v; // expect: uninitialised unsafe|unknown
}
