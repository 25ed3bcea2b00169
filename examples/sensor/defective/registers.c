/* Register access over the bus. */
#include "sensor.h"

#define REG_ID 0x0Du
#define REG_WIDTH 0x0Fu
#define REG_DATA 0x10u
#define REG_CALIBRATION 0x20u
#define SENSOR_ID 0xB5u

sensor_status_t registers_identify(const bus_t *bus, uint8_t address)
{
    uint8_t id;

    /* Defect: at a reserved address nothing is read, and id is never set. */
    if (address < 0x78u) {
        if (bus->read(address, REG_ID, &id, 1u) != 0) {
            return SENSOR_ERROR_BUS;
        }
    }
    return (id == SENSOR_ID) ? SENSOR_OK : SENSOR_ERROR_ID;
}

sensor_status_t registers_read_raw(const bus_t *bus, uint8_t address, uint32_t *raw)
{
    uint8_t data[3] = {0u, 0u, 0u};
    uint8_t width = 0u;

    *raw = 0u;
    if (bus->read(address, REG_WIDTH, &width, 1u) != 0) {
        return SENSOR_ERROR_BUS;
    }
    if (bus->read(address, REG_DATA, data, (uint8_t)sizeof(data)) != 0) {
        return SENSOR_ERROR_BUS;
    }
    /* Defect: the sensor says how many bytes count, and is believed. */
    for (uint8_t i = 0u; i < (width & 0x07u); i++) {
        *raw = (*raw << 8) | data[i];
    }
    return SENSOR_OK;
}

sensor_status_t registers_read_calibration(const bus_t *bus, uint8_t address, calibration_t *out)
{
    uint8_t data[6] = {0u, 0u, 0u, 0u, 0u, 0u};

    if (bus->read(address, REG_CALIBRATION, data, (uint8_t)sizeof(data)) != 0) {
        return SENSOR_ERROR_BUS;
    }
    out->gain = (uint16_t)(((uint32_t)data[0] << 8) | data[1]);
    /* Defect: 0x8000 and above do not fit int16_t. */
    out->offset = (data[2] << 8) | data[3];
    out->divisor = (uint16_t)(((uint32_t)data[4] << 8) | data[5]);
    return SENSOR_OK;
}
