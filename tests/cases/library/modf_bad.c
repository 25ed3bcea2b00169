#include <assert.h>
#include <math.h>

int part(float x)
{
    float whole;
    float rest = modff(x, &whole);
    assert(whole == x || rest > 0); // expect: assertion unsafe
    return 0;
}
