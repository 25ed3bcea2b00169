// A cast that is spelled out is not an implicit conversion, wherever the compiler places it.
typedef unsigned char byte;

byte low(int x) { return static_cast<byte>(x); }
byte middle(int x, int y) { return static_cast<byte>((x ^ y) >> 4); }
