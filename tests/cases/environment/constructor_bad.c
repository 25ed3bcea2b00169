// A library's constructor runs before anybody calls it, with globals as the file gives them.
// replay: no
static int level;
__attribute__((constructor)) static void start(void) {
    int divisor = level;
    level = 10 / divisor; // expect: division-by-zero unsafe
}
__attribute__((destructor)) static void stop(void) {
    level = 10 / (level & 3); // expect: division-by-zero cond-unsafe
}
int get(void) { return level; }
