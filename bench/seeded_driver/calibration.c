/* Coefficients and the arithmetic that they are for, in fixed point. */
#include "bar.h"

#define TEMPERATURE_MIN (-4000)
#define TEMPERATURE_MAX 8500
#define PRESSURE_MIN 30000u
#define PRESSURE_MAX 110000u

static uint16_t unsigned_at(const uint8_t *data, uint8_t index)
{
    return (uint16_t)(((uint32_t)data[index + 1u] << 8) | data[index]);
}

/* Two's complement by hand: no conversion depends on the compiler. */
static int16_t signed_at(const uint8_t *data, uint8_t index)
{
    const int32_t value = unsigned_at(data, index);

    return (value < 0x8000) ? value : (value - 0x10000);
}

int32_t bar_load_calibration(bar_device_t *device)
{
    uint8_t data[BAR_CALIBRATION_LENGTH] = {0u};
    bar_calibration_t loaded;

    if (bar_read(device, BAR_REG_CALIBRATION, data, (uint16_t)sizeof(data)) != BAR_OK) {
        return BAR_ERROR_BUS;
    }
    loaded.t1 = unsigned_at(data, 0u);
    loaded.t2 = signed_at(data, 2u);
    loaded.t3 = signed_at(data, 4u);
    loaded.p1 = unsigned_at(data, 6u);
    loaded.p2 = signed_at(data, 8u);
    loaded.p3 = signed_at(data, 10u);
    loaded.scale = data[12];
    if ((loaded.p1 == 0u) || (loaded.scale > 12u)) {
        return BAR_ERROR_FRAME;
    }
    device->calibration = loaded;
    return BAR_OK;
}

int32_t bar_temperature(const bar_calibration_t *calibration, uint32_t raw)
{
    const int32_t limited = (int32_t)((raw > BAR_RAW_MAX) ? BAR_RAW_MAX : raw);
    const int32_t difference = (limited >> 4) - (int32_t)calibration->t1;
    const int64_t linear = ((int64_t)difference * calibration->t2) / 2048;
    const int64_t square = (((int64_t)difference * difference) / 4096) * calibration->t3 / 16384;
    const int64_t sum = (linear + square) / 128;

    if (sum < TEMPERATURE_MIN) {
        return TEMPERATURE_MIN;
    }
    return (sum > TEMPERATURE_MAX) ? TEMPERATURE_MAX : (int32_t)sum;
}

uint32_t bar_pressure(const bar_calibration_t *calibration, uint32_t raw, int32_t temperature)
{
    const int64_t limited = (raw > BAR_RAW_MAX) ? BAR_RAW_MAX : raw;
    int64_t offset = temperature;
    int64_t value;

    if (calibration->p1 == 0u) {
        return PRESSURE_MIN;
    }
    if (offset < TEMPERATURE_MIN) {
        offset = TEMPERATURE_MIN;
    } else if (offset > TEMPERATURE_MAX) {
        offset = TEMPERATURE_MAX;
    }
    value = ((1048576 - limited) * 6250) / calibration->p1;
    value += (offset * calibration->p2) / 1024;
    value += calibration->p3;
    if (value < (int64_t)PRESSURE_MIN) {
        return PRESSURE_MIN;
    }
    return (value > (int64_t)PRESSURE_MAX) ? PRESSURE_MAX : (uint32_t)value;
}

/* Metres above sea level, by a table with linear steps between its entries. */
uint32_t bar_altitude(uint32_t pressure)
{
    static const uint16_t heights[9] = {9164u, 7185u, 5574u, 4206u, 3012u, 1949u, 988u, 111u, 0u};
    const uint32_t limited = (pressure < PRESSURE_MIN)   ? PRESSURE_MIN
                             : (pressure > PRESSURE_MAX) ? PRESSURE_MAX
                                                         : pressure;
    const uint32_t step = (limited - PRESSURE_MIN) / 10000u;
    const uint32_t rest = (limited - PRESSURE_MIN) % 10000u;
    const uint32_t next = (step < 8u) ? (step + 1u) : step;
    const int32_t slope = (int32_t)heights[next] - (int32_t)heights[step];
    const int32_t height = (int32_t)heights[step] + (slope * (int32_t)rest) / 10000;

    return (height < 0) ? 0u : (uint32_t)height;
}
