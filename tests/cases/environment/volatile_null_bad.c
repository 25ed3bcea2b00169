// Null that the program itself left in a volatile pointer is read back, and so is the address of what is gone.
#include <assert.h>
#include <stddef.h>

struct device {
    int *volatile data;
};

static int level;
static int *volatile never;
static int *volatile cleared = &level;
static int *volatile passed;

static int through(void)
{
    return *passed; // expect: pointer unsafe
}

static int gone(void)
{
    int *volatile last;
    {
        int inner = 3;
        last = &inner;
    }
    return *last; // expect: pointer unsafe
}

static int member(void)
{
    volatile struct device own = {NULL};
    return *own.data; // expect: pointer unsafe
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc == 2) {
        assert(never != NULL); // expect: assertion unsafe
    }
    if (argc == 3) {
        cleared = NULL;
        return *cleared; // expect: pointer unsafe
    }
    if (argc == 4) {
        return gone();
    }
    if (argc == 5) {
        return member();
    }
    return through();
}
