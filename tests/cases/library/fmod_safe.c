#include <assert.h>
#include <math.h>

int main(void)
{
    assert(fmod(7.5, 3.0) == 1.5);
    assert(fmod(-7.5, 3.0) == -1.5);
    assert(fmodf(9.0f, 4.0f) == 1.0f);
    return 0;
}
