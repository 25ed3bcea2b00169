#include <assert.h>

struct device {
    unsigned char id;
    int rate;
    int (*read)(unsigned char reg, unsigned char *data);
};

void start(struct device *device)
{
    device->id = 1;
    device->read(0xD0, &device->id);
    assert(device->id == 1); // expect: assertion unsafe
}

#ifdef EVIDENCE
static int fetch(unsigned char reg, unsigned char *data)
{
    *data = 7;
    return 0;
}
int main(void)
{
    struct device object = {.read = fetch};
    start(&object);
}
#endif
