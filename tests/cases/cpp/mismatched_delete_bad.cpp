// Memory goes back the way it came: malloc and free, new and delete, new[] and delete[].
#include <cstdlib>
#include <new>

void freed() { free(new int); } // expect: pointer unsafe

void deleted()
{
    char *p = static_cast<char *>(malloc(10));
    delete p; // expect: pointer unsafe
}

void array()
{
    int *p = new int[10];
    delete p; // expect: pointer unsafe
}

void scalar()
{
    int *p = new (std::nothrow) int;
    delete[] p; // expect: pointer unsafe
}

void grown()
{
    void *p = realloc(new char[4], 8); // expect: pointer unsafe
    free(p);
}
