// What an external function reaches through a pointer that was set on one way only.
#include <assert.h>

struct link {
    int *value;
};

void update(struct link *link);

void use(int choice)
{
    int local = 1, other = 1;
    struct link link = {&other};
    if (choice) {
        link.value = &local;
    }
    update(&link);
    assert(local == 1); // expect: assertion unsafe
}

#ifdef EVIDENCE
void update(struct link *link)
{
    *link->value = 7;
}
int main(void)
{
    use(1);
}
#endif
