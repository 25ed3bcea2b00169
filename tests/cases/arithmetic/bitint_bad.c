// Types of any width overflow at their own width, not at that of the register.
typedef _BitInt(17) s17;
typedef unsigned _BitInt(17) u17;
s17 sum(s17 a, s17 b) { return a + b; } // expect: signed-overflow unsafe
s17 product(s17 a, s17 b) { return a * b; } // expect: signed-overflow unsafe
s17 negative(s17 a) { return -a; } // expect: signed-overflow unsafe
s17 quotient(s17 a, s17 b) { return b ? a / b : (s17)0; } // expect: signed-overflow unsafe
u17 stored(unsigned char high, unsigned char low) {
    unsigned x = high * 1000u + low;
    return x; // expect: narrowing unsafe
}
