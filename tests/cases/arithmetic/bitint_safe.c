typedef _BitInt(17) s17;
typedef unsigned _BitInt(17) u17;
s17 sum(short a, short b) { return (s17)a + (s17)b; }
s17 negative(short a) { return -(s17)a; }
s17 quotient(s17 a, s17 b) { return b > 0 ? a / b : (s17)0; }
u17 stored(unsigned char high, unsigned char low) {
    unsigned x = high * 100u + low;
    return x;
}
