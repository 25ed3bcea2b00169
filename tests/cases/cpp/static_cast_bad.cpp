typedef unsigned char byte;

static byte same(byte x) { return x; }

int low(int x) { return static_cast<int>(same(x)); } // expect: narrowing unsafe
byte other(int x) { return x; } // expect: narrowing unsafe
