/* The last samples, oldest overwritten first. */
#include "sensor.h"

void ring_put(ring_t *ring, int32_t sample)
{
    const uint8_t head = (uint8_t)(ring->head % RING_CAPACITY);

    ring->samples[head] = sample;
    ring->head = (uint8_t)((head + 1u) % RING_CAPACITY);
    if (ring->count < RING_CAPACITY) {
        ring->count++;
    }
}

int32_t ring_average(const ring_t *ring)
{
    const uint8_t count = (ring->count > RING_CAPACITY) ? (uint8_t)RING_CAPACITY : ring->count;
    int64_t sum = 0;

    if (count == 0u) {
        return 0;
    }
    for (uint8_t i = 0u; i < RING_CAPACITY; i++) {
        if (i < count) {
            sum += ring->samples[i];
        }
    }
    sum /= (int64_t)count;
    if ((sum > INT32_MAX) || (sum < INT32_MIN)) {
        return 0;
    }
    return (int32_t)sum;
}
