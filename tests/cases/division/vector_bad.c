// Division of vectors goes wrong where it does so for one element.
typedef int v4 __attribute__((vector_size(16)));
v4 quotient(v4 a, v4 b) { return a / b; } // expect: division-by-zero unsafe; signed-overflow unsafe
v4 rest(v4 a, v4 b) { return a % b; } // expect: division-by-zero unsafe; signed-overflow unsafe
