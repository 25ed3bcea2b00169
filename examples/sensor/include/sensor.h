/* A pressure sensor on a serial bus: the interface of the example driver. */
#ifndef SENSOR_H
#define SENSOR_H

#include <stdbool.h>
#include <stdint.h>

#define RING_CAPACITY 16u

typedef enum { SENSOR_OK = 0, SENSOR_ERROR_BUS, SENSOR_ERROR_ID, SENSOR_ERROR_TIMEOUT } sensor_status_t;

/* The board supplies these: they return 0 on success. */
typedef struct {
    int32_t (*read)(uint8_t address, uint8_t reg, uint8_t *data, uint8_t length);
    int32_t (*write)(uint8_t address, uint8_t reg, uint8_t value);
} bus_t;

/* Coefficients from the non-volatile memory of the sensor. */
typedef struct {
    uint16_t gain;     /* in 1/1024 */
    int16_t offset;    /* in Pa */
    uint16_t divisor;  /* counts per Pa */
} calibration_t;

typedef struct {
    int32_t samples[RING_CAPACITY];
    uint8_t head;
    uint8_t count;
} ring_t;

typedef enum { STATE_OFF = 0, STATE_STARTING, STATE_MEASURING, STATE_FAULT } state_t;

typedef struct {
    const bus_t *bus;
    uint8_t address;
    state_t state;
    uint8_t retries;
    calibration_t calibration;
    ring_t ring;
} sensor_t;

/* registers.c */
sensor_status_t registers_identify(const bus_t *bus, uint8_t address);
sensor_status_t registers_read_raw(const bus_t *bus, uint8_t address, uint32_t *raw);
sensor_status_t registers_read_calibration(const bus_t *bus, uint8_t address, calibration_t *out);

/* calibration.c */
int32_t calibration_apply(const calibration_t *calibration, uint32_t raw);

/* ring.c */
void ring_put(ring_t *ring, int32_t sample);
int32_t ring_average(const ring_t *ring);

/* machine.c */
sensor_status_t sensor_step(sensor_t *sensor);

#endif
