// A weak exchange may fail although the values are equal (C11 7.17.7.4p2); a volatile atomic changes at any time.
#include <assert.h>
#include <stdatomic.h>

atomic_int owner;
volatile atomic_int ticks;

int weak(void)
{
    int free = 0;
    if (!atomic_compare_exchange_weak(&owner, &free, 1))
        assert(free != 0); // expect: assertion cond-unsafe weak exchange
    return 0;
}

int changing(void)
{
    atomic_store(&ticks, 1);
    return 10 / atomic_fetch_add(&ticks, 1); // expect: division-by-zero unsafe
}
