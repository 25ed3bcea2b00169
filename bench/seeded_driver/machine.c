/* The state machine that the main loop steps, and what the board calls. */
#include "bar.h"

#define STEPS_MAX 5u

static volatile uint8_t ready;

/* Handed to the board: called from outside at any time. */
static void on_ready(void *context)
{
    bar_device_t *device = context;
    const uint8_t before = ready;

    if (before < UINT8_MAX) {
        ready = before + 1u;
    }
    if (device->ticks < UINT32_MAX) {
        device->ticks += 1u;
    }
}

static bool is_warm(const bar_sample_t *sample, void *context)
{
    uint8_t *warm = context;

    if ((sample->temperature > 3000) && (*warm < UINT8_MAX)) {
        (*warm)++;
    }
    return true;
}

/* Microseconds that a measurement takes. */
uint32_t bar_wait_time(uint8_t oversampling)
{
    const uint8_t limited = (oversampling > 5u) ? 5u : oversampling;
    const uint32_t samples = (limited == 0u) ? 1u : (1u << (limited - 1u));

    return 1250u + samples * 2300u;
}

int32_t bar_start(bar_device_t *device)
{
    int32_t status = bar_identify(device);

    if (status == BAR_OK) {
        status = bar_load_calibration(device);
    }
    if (status == BAR_OK) {
        const uint8_t bits = (device->oversampling > 5u) ? 5u : device->oversampling;
        status = bar_modify(device, BAR_REG_CONTROL, 0xFCu, (uint8_t)((bits << 5) | (bits << 2)));
    }
    if (status == BAR_OK) {
        status = (board_attach(on_ready, device) == 0) ? BAR_OK : BAR_ERROR_STATE;
    }
    bar_ring_reset(&device->ring);
    return status;
}

static int32_t measure(bar_device_t *device)
{
    uint8_t warm = 0u;
    int32_t status;

    device->bus.delay(device->bus.context, bar_wait_time(device->oversampling));
    status = bar_drain(device);
    if (status == BAR_OK) {
        (void)bar_ring_visit(&device->ring, is_warm, &warm);
        if (warm >= (uint8_t)BAR_RING_LENGTH) {
            status = BAR_ERROR_STATE;
        }
    }
    return status;
}

int32_t bar_step(bar_device_t *device)
{
    int32_t status = BAR_OK;

    switch (device->state) {
    case BAR_OFF:
        device->retries = 0u;
        device->state = BAR_STARTING;
        break;
    case BAR_STARTING:
        status = bar_start(device);
        device->state = (status == BAR_OK) ? BAR_MEASURING : BAR_FAULT;
        break;
    case BAR_MEASURING:
        status = measure(device);
        if (status != BAR_OK) {
            device->state = BAR_FAULT;
        }
        break;
    case BAR_FAULT:
        if (device->retries < STEPS_MAX) {
            device->retries++;
            device->state = BAR_STARTING;
        } else {
            status = BAR_ERROR_STATE;
        }
        break;
    default:
        device->state = BAR_OFF;
        break;
    }
    return status;
}

uint8_t bar_checksum(const uint8_t *data, uint8_t length)
{
    static const uint8_t table[16] = {0x00u, 0x31u, 0x62u, 0x53u, 0xC4u, 0xF5u, 0xA6u, 0x97u,
                                      0xB9u, 0x88u, 0xDBu, 0xEAu, 0x7Du, 0x4Cu, 0x1Fu, 0x2Eu};
    uint8_t sum = 0xFFu;

    if (length > 16u) {
        return 0u;
    }
    for (uint8_t i = 0u; i < length; i++) {
        sum ^= data[i];
        sum = (uint8_t)(((sum << 4) & 0xF0) ^ table[sum >> 4]);
        sum = (uint8_t)(((sum << 4) & 0xF0) ^ table[sum >> 4]);
    }
    return sum;
}

/* Writes a number with two decimals; the length of the text, or 0 if there is no room. */
uint8_t bar_format(char *text, uint8_t size, int32_t hundredths)
{
    char digits[12];
    uint32_t rest = (hundredths < 0) ? (0u - (uint32_t)hundredths) : (uint32_t)hundredths;
    uint8_t count = 0u;
    uint8_t at = 0u;

    do {
        digits[count] = (char)('0' + (rest % 10u));
        count++;
        rest /= 10u;
        if (count == 2u) {
            digits[count] = '.';
            count++;
        }
    } while ((rest != 0u) || (count < 4u));
    if ((uint32_t)count + 2u > size) {
        return 0u;
    }
    if (hundredths < 0) {
        text[at] = '-';
        at++;
    }
    while (count > 0u) {
        count--;
        text[at] = digits[count];
        at++;
    }
    text[at] = '\0';
    return at;
}
