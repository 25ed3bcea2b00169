// Functions whose addresses lie in the section of those that run before main run before main.
static int scale = 1;
static void clear(void) {
    scale = 0;
}
__attribute__((section(".init_array"), used)) static void (*start[])(void) = {clear};
int main(void) {
    return 10 / scale; // expect: division-by-zero unsafe
}
