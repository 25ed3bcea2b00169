/* Frames from the sensor's FIFO: a header that names the kind, then the payload. */
#include "bar.h"

#define FRAME_KINDS 4u
#define FRAME_LONGEST 6u

typedef int32_t (*handler_t)(bar_device_t *device, const uint8_t *payload);

static uint32_t raw_at(const uint8_t *payload)
{
    return ((uint32_t)payload[0] << 12) | ((uint32_t)payload[1] << 4) | ((uint32_t)payload[2] >> 4);
}

static int32_t on_empty(bar_device_t *device, const uint8_t *payload)
{
    (void)payload;
    if (device->lost < UINT16_MAX) {
        device->lost++;
    }
    return BAR_OK;
}

static int32_t on_time(bar_device_t *device, const uint8_t *payload)
{
    const uint32_t time = ((uint32_t)payload[2] << 16) | ((uint32_t)payload[1] << 8) | payload[0];

    if (time < (device->ticks & 0xFFFFFFu)) {
        return BAR_ERROR_FRAME;
    }
    device->ticks = time;
    return BAR_OK;
}

static int32_t on_config(bar_device_t *device, const uint8_t *payload)
{
    const uint8_t wanted = (uint8_t)(payload[0] & 0x07u);

    if (wanted > 5u) {
        return BAR_ERROR_FRAME;
    }
    device->oversampling = wanted;
    return BAR_OK;
}

static int32_t on_sample(bar_device_t *device, const uint8_t *payload)
{
    bar_sample_t sample;

    sample.temperature = bar_temperature(&device->calibration, raw_at(payload));
    sample.pressure = bar_pressure(&device->calibration, raw_at(payload + 3), sample.temperature);
    bar_ring_put(&device->ring, &sample);
    return BAR_OK;
}

static const handler_t handlers[FRAME_KINDS] = {on_empty, on_time, on_config, on_sample};
static const uint8_t lengths[FRAME_KINDS] = {1u, 3u, 1u, FRAME_LONGEST};

int32_t bar_parse(bar_device_t *device, const uint8_t *data, uint16_t length)
{
    uint8_t frame[FRAME_LONGEST] = {0u};
    uint16_t at = 0u;

    if (length > BAR_FIFO_LENGTH) {
        return BAR_ERROR_LENGTH;
    }
    while (at < length) {
        const uint8_t kind = (uint8_t)(data[at] >> 6);
        const uint8_t payload = lengths[kind];

        at++;
        if (payload > length - at) {
            return BAR_ERROR_LENGTH;
        }
        for (uint8_t i = 0u; i < payload; i++) {
            frame[i] = data[at + i];
        }
        at = (uint16_t)(at + payload);
        if (handlers[kind](device, frame) != BAR_OK) {
            return BAR_ERROR_FRAME;
        }
        if (device->frames < UINT16_MAX) {
            device->frames++;
        }
    }
    return BAR_OK;
}

int32_t bar_drain(bar_device_t *device)
{
    uint8_t data[BAR_FIFO_LENGTH] = {0u};
    uint8_t header[2] = {0u, 0u};
    uint16_t length;

    if (bar_read(device, BAR_REG_FIFO_LENGTH, header, 2u) != BAR_OK) {
        return BAR_ERROR_BUS;
    }
    length = (uint16_t)(((uint32_t)(header[1] & 0x03u) << 8) | header[0]);
    if (length > (uint16_t)sizeof(data)) {
        length = (uint16_t)sizeof(data);
    }
    if (length == 0u) {
        return BAR_OK;
    }
    if (bar_read(device, BAR_REG_FIFO_DATA, data, length) != BAR_OK) {
        return BAR_ERROR_BUS;
    }
    return bar_parse(device, data, length);
}
