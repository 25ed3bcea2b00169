/* The last samples, oldest overwritten first. */
#include "sensor.h"

void ring_put(ring_t *ring, int32_t sample)
{
    /* Defect: wraps one place too late. */
    const uint8_t head = (ring->head > RING_CAPACITY) ? 0u : ring->head;

    ring->samples[head] = sample;
    ring->head = (uint8_t)((head + 1u) % RING_CAPACITY);
    if (ring->count < RING_CAPACITY) {
        ring->count++;
    }
}

int32_t ring_average(const ring_t *ring)
{
    int32_t sum = 0;

    for (uint8_t i = 0u; i < RING_CAPACITY; i++) {
        if (i < ring->count) {
            /* Defect: sixteen large samples overflow the sum. */
            sum += ring->samples[i];
        }
    }
    /* Defect: an empty ring has no average. */
    return sum / ring->count;
}
