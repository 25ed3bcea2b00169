// A strong exchange fails only where the values differ; an atomic that nobody else changes keeps its value.
#include <assert.h>
#include <stdatomic.h>

atomic_int owner, ticks;

int strong(void)
{
    int free = 0;
    if (!atomic_compare_exchange_strong(&owner, &free, 1))
        assert(free != 0);
    return 0;
}

int kept(void)
{
    atomic_store(&ticks, 1);
    return 10 / atomic_fetch_add(&ticks, 1);
}
