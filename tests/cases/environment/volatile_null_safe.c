// Whoever replaced null by a pointer did not put null back, and what is asked for is not read twice.
#include <stddef.h>

struct device {
    int *volatile data;
};

static int level;
static int *volatile ready;
static int *volatile early = &level;

static int take(struct device *device)
{
    int *copy = device->data;
    return copy != NULL ? *copy : 0;
}

int main(void)
{
    struct device device = {NULL};
    if (ready == NULL) {
        return 0;
    }
    int sum = *ready & 1;
    sum += *early & 1;
    sum += take(&device) & 1;
    device.data = &level;
    return sum + (*device.data & 1);
}
