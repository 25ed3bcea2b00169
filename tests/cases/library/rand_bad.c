#include <stdlib.h>

int main(void)
{
    int dice = rand() % 6;
    return 60 / dice; // expect: division-by-zero unsafe
}
