// What is taken back before anybody else runs is not known outside, nor is what was never handed on.
#include <assert.h>

struct request {
    int *place;
    int count;
};

void wait(void);

void taken_back(struct request *request)
{
    int local = 1;
    request->place = &local;
    request->place = 0;
    wait();
    assert(local == 1);
}

int kept(void)
{
    int local = 1;
    struct request own = {&local, 1};
    wait();
    assert(local == 1);
    return own.count;
}
