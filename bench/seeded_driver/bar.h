/* A barometer with a FIFO on a serial bus: the interface of the driver that defects are put into. */
#ifndef BAR_H
#define BAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BAR_OK 0
#define BAR_ERROR_BUS (-1)
#define BAR_ERROR_ID (-2)
#define BAR_ERROR_LENGTH (-3)
#define BAR_ERROR_FRAME (-4)
#define BAR_ERROR_STATE (-5)

#define BAR_REG_ID 0xD0u
#define BAR_REG_CONTROL 0xF4u
#define BAR_REG_CONFIG 0xF5u
#define BAR_REG_DATA 0xF7u
#define BAR_REG_CALIBRATION 0x88u
#define BAR_REG_FIFO_LENGTH 0x12u
#define BAR_REG_FIFO_DATA 0x14u
#define BAR_ID 0x58u

#define BAR_CALIBRATION_LENGTH 14u
#define BAR_FIFO_LENGTH 20u
#define BAR_RING_LENGTH 8u
#define BAR_RAW_MAX 0xFFFFFu
#define BAR_RETRIES 3u

/* The board supplies these; they return 0 on success. */
typedef struct {
    int32_t (*read)(void *context, uint8_t reg, uint8_t *data, uint16_t length);
    int32_t (*write)(void *context, uint8_t reg, const uint8_t *data, uint16_t length);
    void (*delay)(void *context, uint32_t microseconds);
    void *context;
} bar_bus_t;

/* Coefficients from the non-volatile memory of the sensor. */
typedef struct {
    uint16_t t1;
    int16_t t2;
    int16_t t3;
    uint16_t p1;
    int16_t p2;
    int16_t p3;
    uint8_t scale;
} bar_calibration_t;

typedef struct {
    int32_t temperature; /* in 1/100 degrees */
    uint32_t pressure;   /* in Pa */
} bar_sample_t;

/* The last samples, oldest overwritten first. */
typedef struct {
    bar_sample_t entries[BAR_RING_LENGTH];
    uint8_t head;
    uint8_t count;
} bar_ring_t;

typedef enum { BAR_OFF = 0, BAR_STARTING, BAR_MEASURING, BAR_FAULT } bar_state_t;

typedef struct {
    bar_bus_t bus;
    bar_state_t state;
    uint8_t retries;
    uint8_t oversampling;
    uint16_t frames;
    uint16_t lost;
    uint32_t ticks;
    bar_calibration_t calibration;
    bar_ring_t ring;
} bar_device_t;

/* The board calls the handler when the sensor says that data are ready. */
int32_t board_attach(void (*handler)(void *context), void *context);

/* bus.c */
int32_t bar_read(const bar_device_t *device, uint8_t reg, uint8_t *data, uint16_t length);
int32_t bar_write(const bar_device_t *device, uint8_t reg, uint8_t value);
int32_t bar_modify(const bar_device_t *device, uint8_t reg, uint8_t mask, uint8_t value);
int32_t bar_identify(const bar_device_t *device);

/* calibration.c */
int32_t bar_load_calibration(bar_device_t *device);
int32_t bar_temperature(const bar_calibration_t *calibration, uint32_t raw);
uint32_t bar_pressure(const bar_calibration_t *calibration, uint32_t raw, int32_t temperature);
uint32_t bar_altitude(uint32_t pressure);

/* ring.c */
void bar_ring_reset(bar_ring_t *ring);
void bar_ring_put(bar_ring_t *ring, const bar_sample_t *sample);
bool bar_ring_get(const bar_ring_t *ring, uint8_t age, bar_sample_t *sample);
int32_t bar_ring_mean(const bar_ring_t *ring);
uint32_t bar_ring_span(const bar_ring_t *ring);
uint8_t bar_ring_visit(const bar_ring_t *ring, bool (*visit)(const bar_sample_t *, void *), void *context);

/* fifo.c */
int32_t bar_parse(bar_device_t *device, const uint8_t *data, uint16_t length);
int32_t bar_drain(bar_device_t *device);

/* machine.c */
int32_t bar_start(bar_device_t *device);
int32_t bar_step(bar_device_t *device);
uint32_t bar_wait_time(uint8_t oversampling);
uint8_t bar_checksum(const uint8_t *data, uint8_t length);
uint8_t bar_format(char *text, uint8_t size, int32_t hundredths);

#endif
