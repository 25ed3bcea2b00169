// What no pointer that goes out leads to stays as it is.
#include <assert.h>

struct link {
    int *value;
};

void update(struct link *link);

void use(int choice)
{
    int local = 1, other = 1, third = 1;
    struct link link = {&other};
    if (choice) {
        link.value = &third;
    }
    update(&link);
    assert(local == 1);
}
