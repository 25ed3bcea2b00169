// Juliet: a number read from a line of text.
#include <stdio.h>
#include <stdlib.h>
#define CHAR_ARRAY_SIZE 8

int main(void)
{
    int data = -1;
    char inputBuffer[CHAR_ARRAY_SIZE] = "";
    if (fgets(inputBuffer, CHAR_ARRAY_SIZE, stdin) != NULL) {
        data = atoi(inputBuffer);
    }
    int buffer[10] = {0};
    if (data >= 0) {
        buffer[data] = 1; // expect: bounds unsafe
    }
    return 0;
}
