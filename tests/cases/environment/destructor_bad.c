// A destructor runs when the program ends; in which state is not followed.
#include <assert.h>

static int open_files;

__attribute__((constructor)) static void start(void)
{
    open_files = 1;
}

__attribute__((destructor)) static void finish(void)
{
    assert(open_files == 0); // expect: assertion cond-unsafe finish
}

int main(void)
{
    return 10 / open_files;
}
