// The clock is arbitrary.
#include <time.h>

int main(void)
{
    int now = (int)(time(0) & 0xFFFF);
    return 100 / (now % 7 - 3); // expect: division-by-zero unsafe
}
