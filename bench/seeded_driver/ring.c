/* The last samples, oldest overwritten first. */
#include "bar.h"

static uint8_t used(const bar_ring_t *ring)
{
    return (ring->count > BAR_RING_LENGTH) ? (uint8_t)BAR_RING_LENGTH : ring->count;
}

void bar_ring_reset(bar_ring_t *ring)
{
    for (uint8_t i = 0u; i < BAR_RING_LENGTH; i++) {
        ring->entries[i].temperature = 0;
        ring->entries[i].pressure = 0u;
    }
    ring->head = 0u;
    ring->count = 0u;
}

void bar_ring_put(bar_ring_t *ring, const bar_sample_t *sample)
{
    const bar_sample_t copy = *sample;
    const uint8_t head = (uint8_t)(ring->head % BAR_RING_LENGTH);

    ring->entries[head] = copy;
    ring->head = (uint8_t)((head + 1u) % BAR_RING_LENGTH);
    if (ring->count < BAR_RING_LENGTH) {
        ring->count++;
    }
}

/* The sample put `age` samples before the last one. */
bool bar_ring_get(const bar_ring_t *ring, uint8_t age, bar_sample_t *sample)
{
    const uint8_t head = (uint8_t)(ring->head % BAR_RING_LENGTH);

    if (age >= used(ring)) {
        return false;
    }
    *sample = ring->entries[(head + 2u * BAR_RING_LENGTH - 1u - age) % BAR_RING_LENGTH];
    return true;
}

int32_t bar_ring_mean(const bar_ring_t *ring)
{
    const uint8_t count = used(ring);
    int64_t sum = 0;

    if (count == 0u) {
        return 0;
    }
    for (uint8_t i = 0u; i < BAR_RING_LENGTH; i++) {
        if (i < count) {
            sum += ring->entries[i].temperature;
        }
    }
    sum /= (int64_t)count;
    if (sum > INT32_MAX) {
        return INT32_MAX;
    }
    return (sum < INT32_MIN) ? INT32_MIN : (int32_t)sum;
}

uint32_t bar_ring_span(const bar_ring_t *ring)
{
    const uint8_t count = used(ring);
    uint32_t low = UINT32_MAX, high = 0u;

    for (uint8_t i = 0u; i < count; i++) {
        const uint32_t pressure = ring->entries[i].pressure;
        if (pressure < low) {
            low = pressure;
        }
        if (pressure > high) {
            high = pressure;
        }
    }
    return (high > low) ? (high - low) : 0u;
}

/* How many samples were seen until the callback had enough. */
uint8_t bar_ring_visit(const bar_ring_t *ring, bool (*visit)(const bar_sample_t *, void *), void *context)
{
    const uint8_t count = used(ring);
    uint8_t seen = 0u;

    while (seen < count) {
        const bar_sample_t sample = ring->entries[seen];
        if (!visit(&sample, context)) {
            break;
        }
        seen++;
    }
    return seen;
}
