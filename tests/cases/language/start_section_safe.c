// Entries with a number come before those without, and constructors between them.
static int scale = 0;
static void clear(void) {
    scale = 0;
}
static void set(void) {
    scale = 5;
}
__attribute__((section(".init_array"), used)) static void (*late)(void) = set;
__attribute__((section(".init_array.00100"), used)) static void (*early)(void) = clear;
__attribute__((constructor(200))) static void between(void) {
    scale -= 5;
}
int main(void) {
    return 10 / scale;
}
