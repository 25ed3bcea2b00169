// Memory goes back the way it came.
#include <cstdlib>
#include <memory>
#include <new>

void each()
{
    free(realloc(malloc(4), 8));
    delete new int;
    delete[] new int[10];
    delete new (std::nothrow) int;
    delete[] new (std::nothrow) char[3];
}

int library(int x)
{
    std::unique_ptr<int[]> p(new int[3]);
    p[0] = x;
    return p[0];
}

void given(int *p) { delete p; }
