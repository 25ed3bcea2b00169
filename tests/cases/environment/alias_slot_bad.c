// What a pointer to a pointer leads to may be a member of the struct.
#include <assert.h>

struct device {
    int *buffer;
};

int room[2];

void set(struct device *device, int **place)
{
    device->buffer = &room[0];
    *place = &room[1];
    assert(device->buffer == &room[0]); // expect: assertion unsafe
}

#ifdef EVIDENCE
int main(void)
{
    struct device object;
    set(&object, &object.buffer);
}
#endif
