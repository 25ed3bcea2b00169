/* Calibration arithmetic in fixed point: pressure = raw * gain / 1024 / divisor + offset, in Pa. */
#include "sensor.h"

#define GAIN_SHIFT 10
#define RAW_MAX 0xFFFFFFu
#define PRESSURE_LIMIT 2000000

int32_t calibration_apply(const calibration_t *calibration, uint32_t raw)
{
    const uint32_t limited = (raw > RAW_MAX) ? RAW_MAX : raw;
    /* Defect: 24 bits times 16 bits do not fit 32. */
    int32_t scaled = (int32_t)limited * calibration->gain;

    /* Defect: the divisor comes from the sensor and may be zero. */
    scaled = (scaled >> GAIN_SHIFT) / calibration->divisor;
    if (scaled > PRESSURE_LIMIT) {
        scaled = PRESSURE_LIMIT;
    }
    return scaled + calibration->offset;
}
