// Where inline assembly jumps is not followed; nothing behind it may count as dead.
int jumps(int x) {
    asm goto("jmp %l0" : : : : out);
    return 1;
out:
    return 10 / x; // expect: division-by-zero unknown not supported; signed-overflow safe|unknown
}
