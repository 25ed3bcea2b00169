// What a model keeps to itself is nobody else's: in a library it holds what the model put there.
#include <string.h>

char text[200];

void show(int error) { strcpy(text, strerror(error)); }
