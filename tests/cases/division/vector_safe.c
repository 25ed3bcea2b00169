typedef int v4 __attribute__((vector_size(16)));
v4 quotient(v4 a, v4 b) { return a / (b & 7 | 1); }
v4 rest(v4 a, v4 b) { return a % (b & 7 | 1); }
