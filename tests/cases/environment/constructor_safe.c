static int level = 5;
__attribute__((constructor)) static void start(void) {
    int divisor = level;
    level = 10 / divisor;
}
__attribute__((destructor)) static void stop(void) { level = 10 / (level & 3 | 4); }
int get(void) { return level; }
