/* Calibration arithmetic in fixed point: pressure = raw * gain / 1024 / divisor + offset, in Pa. */
#include "sensor.h"

#define GAIN_SHIFT 10u
#define RAW_MAX 0xFFFFFFu
#define PRESSURE_LIMIT 2000000

int32_t calibration_apply(const calibration_t *calibration, uint32_t raw)
{
    const uint16_t divisor = calibration->divisor;
    const uint32_t limited = (raw > RAW_MAX) ? RAW_MAX : raw;
    uint64_t scaled;

    if (divisor == 0u) {
        return 0;
    }
    scaled = (((uint64_t)limited * calibration->gain) >> GAIN_SHIFT) / divisor;
    if (scaled > (uint64_t)PRESSURE_LIMIT) {
        scaled = (uint64_t)PRESSURE_LIMIT;
    }
    return (int32_t)scaled + calibration->offset;
}
