// All numbers are read that are written.
#include <stdlib.h>

static int at(const int *numbers, unsigned i)
{
    return numbers[i];
}

int last(unsigned n)
{
    if (n < 2 || n > 25)
        return 0;
    int *numbers = malloc(n * sizeof *numbers);
    if (!numbers)
        return 0;
    numbers[0] = numbers[1] = 1;
    int found = at(numbers, n & 1) > 3;
    free(numbers);
    return found;
}
