// What a thread runs is not unreachable, only because threads are not supported.
#include <assert.h>

typedef unsigned long pthread_t;
int pthread_mutex_init(void *, const void *);
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);

static int ready;

static void *work(void *argument)
{
    assert(ready == 1); // expect: assertion unknown pthread_mutex_init
    return argument;
}

int main(void)
{
    pthread_t thread = 0;
    long lock[8] = {0};
    pthread_mutex_init(lock, 0);
    pthread_create(&thread, 0, work, 0);
    ready = 1;
    return 0;
}
