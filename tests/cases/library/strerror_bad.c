#include <string.h>

char text[20];

void show(int error)
{
    strcpy(text, strerror(error)); // expect: pointer cond-unsafe the result of strerror is not computed
}
