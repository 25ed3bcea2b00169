/* Register access over the bus, with retries. */
#include "bar.h"

static void back_off(const bar_device_t *device, uint8_t attempt)
{
    device->bus.delay(device->bus.context, (uint32_t)100u << attempt);
}

int32_t bar_read(const bar_device_t *device, uint8_t reg, uint8_t *data, uint16_t length)
{
    for (uint8_t attempt = 0u; attempt < BAR_RETRIES; attempt++) {
        if (device->bus.read(device->bus.context, reg, data, length) == 0) {
            return BAR_OK;
        }
        back_off(device, attempt);
    }
    return BAR_ERROR_BUS;
}

int32_t bar_write(const bar_device_t *device, uint8_t reg, uint8_t value)
{
    const uint8_t data[1] = {value};

    if (device->bus.write(device->bus.context, reg, data, 1u) != 0) {
        return BAR_ERROR_BUS;
    }
    return BAR_OK;
}

int32_t bar_modify(const bar_device_t *device, uint8_t reg, uint8_t mask, uint8_t value)
{
    uint8_t current = 0u;
    int32_t status = bar_read(device, reg, &current, 1u);

    if (status == BAR_OK) {
        const uint32_t kept = current & ~(uint32_t)mask;
        const uint32_t added = value & (uint32_t)mask;
        status = bar_write(device, reg, (uint8_t)((kept | added) & 0xFFu));
    }
    return status;
}

int32_t bar_identify(const bar_device_t *device)
{
    uint8_t id = 0u;

    if (bar_read(device, BAR_REG_ID, &id, 1u) != BAR_OK) {
        return BAR_ERROR_BUS;
    }
    return (id == BAR_ID) ? BAR_OK : BAR_ERROR_ID;
}
