#include <stdlib.h>

int main(void)
{
    int dice = rand() % 6 + 1;
    return 60 / dice;
}
