// Another file of the program that a library ends up in may define a weak function or constant anew.
#include <assert.h>

struct device {
    int state;
};
static int done;
int table[4];

__attribute__((weak)) int limit(void)
{
    return 4;
}
__attribute__((weak)) const int size = 4;
__attribute__((weak)) void finished(struct device *device)
{
    (void)device;
    done = 1;
}

int first(int index)
{
    return index >= 0 && index < limit() ? table[index] : 0; // expect: bounds unsafe
}

int second(int index)
{
    return index >= 0 && index < size ? table[index] : 0; // expect: bounds unsafe
}

void changed(struct device *device)
{
    device->state = 1;
    finished(device);
    assert(device->state == 1); // expect: assertion unsafe
}

void not_called(struct device *device)
{
    done = 0;
    finished(device);
    assert(done == 1); // expect: assertion unsafe
}

void (*hook)(struct device *) = finished;

void own_body(struct device *device)
{
    done = 0;
    finished(device);
    assert(done == 0); // expect: assertion unsafe|cond-unsafe
}

struct pair {
    long first, second;
};

__attribute__((weak)) struct pair chosen(long own, long here)
{
    return (struct pair){own, here};
}

void in_registers(void)
{
    struct pair pair = chosen(1, 2);
    assert(pair.second == 2); // expect: assertion unsafe
}
