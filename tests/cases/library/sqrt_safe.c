#include <assert.h>
#include <math.h>

int main(void)
{
    double x = 9.0;
    assert(sqrt(x) == 3.0);
    return 0;
}
