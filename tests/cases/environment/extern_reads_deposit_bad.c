// What is stored in an object from outside is known there: its owner may look when it is called.
#include <assert.h>

struct request {
    int *place;
    int count;
};

void wait(void);

void published(struct request *request)
{
    int local = 1;
    request->place = &local;
    wait();
    assert(local == 1); // expect: assertion unsafe
    request->place = 0;
}

void copied(struct request *request)
{
    int local = 1;
    struct request own = {&local, 1};
    *request = own;
    wait();
    assert(local == 1); // expect: assertion unsafe
    request->place = 0;
}

#ifdef EVIDENCE
static struct request theirs;
void wait(void)
{
    *theirs.place = 7;
}
int main(void)
{
    published(&theirs);
}
#endif
