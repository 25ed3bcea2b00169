/* The state machine that the main loop steps. */
#include "sensor.h"

#define RETRIES_MAX 5u

static sensor_status_t start(sensor_t *sensor)
{
    sensor_status_t status = registers_identify(sensor->bus, sensor->address);

    if (status == SENSOR_OK) {
        status = registers_read_calibration(sensor->bus, sensor->address, &sensor->calibration);
    }
    return status;
}

static sensor_status_t measure(sensor_t *sensor)
{
    uint32_t raw = 0u;
    const sensor_status_t status = registers_read_raw(sensor->bus, sensor->address, &raw);

    if (status == SENSOR_OK) {
        ring_put(&sensor->ring, calibration_apply(&sensor->calibration, raw));
    }
    return status;
}

sensor_status_t sensor_step(sensor_t *sensor)
{
    sensor_status_t status = SENSOR_OK;

    switch (sensor->state) {
    case STATE_OFF:
        sensor->retries = 0u;
        sensor->state = STATE_STARTING;
        break;
    case STATE_STARTING:
        status = start(sensor);
        sensor->state = (status == SENSOR_OK) ? STATE_MEASURING : STATE_FAULT;
        break;
    case STATE_MEASURING:
        status = measure(sensor);
        if (status != SENSOR_OK) {
            sensor->state = STATE_FAULT;
        }
        break;
    case STATE_FAULT:
        if (sensor->retries < RETRIES_MAX) {
            sensor->retries++;
            sensor->state = STATE_STARTING;
        } else {
            status = SENSOR_ERROR_TIMEOUT;
        }
        break;
    default:
        sensor->state = STATE_OFF;
        break;
    }
    return status;
}
