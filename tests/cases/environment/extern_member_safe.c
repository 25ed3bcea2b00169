// A function that gets the address of a member reaches the member, not the struct around it.
#include <assert.h>

struct device {
    unsigned char id;
    int rate;
    int (*read)(unsigned char reg, unsigned char *data);
};

void start(struct device *device)
{
    device->rate = 100;
    device->read(0xD0, &device->id);
    assert(device->rate == 100);
}
