/* An autopilot as small aircraft have them: sensors are read, a filter and controllers run, servos are set,
 * for ever. The registers of the hardware hold anything. */
#include <stdint.h>

#define SAMPLES 8
#define CHANNELS 4
#define LIMIT 500 /* of a servo, in microseconds around its middle */
#define ROUTE 6

typedef struct {
    int16_t roll, pitch, yaw; /* tenths of a degree */
    int32_t altitude;         /* centimetres */
} attitude_t;

typedef struct {
    int32_t gain_p, gain_i, gain_d;
    int32_t integral, previous;
} controller_t;

typedef struct {
    int16_t values[SAMPLES];
    uint8_t next;
} filter_t;

extern volatile int16_t GYRO_ROLL, GYRO_PITCH, GYRO_YAW;
extern volatile uint32_t BAROMETER;
extern volatile uint8_t RADIO;
extern volatile uint16_t SERVO[CHANNELS];

static filter_t filters[3];
static controller_t controllers[3] = {{12, 2, 4, 0, 0}, {14, 2, 5, 0, 0}, {8, 1, 2, 0, 0}};
static attitude_t now;
static const int32_t route[ROUTE] = {1000, 5000, 12000, 12000, 5000, 0};
static uint8_t leg;
static uint32_t ticks;
static uint16_t output[CHANNELS];
static uint8_t packet[16];
static uint8_t received;

static int32_t clamp(int32_t value, int32_t limit) {
    if (value > limit) {
        return limit;
    }
    return value < -limit ? -limit : value;
}

static int16_t filtered(filter_t *filter, int16_t sample) {
    int32_t sum = 0;
    filter->values[filter->next] = sample;
    filter->next = (uint8_t)((filter->next + 1) % SAMPLES);
    for (int i = 0; i < SAMPLES; i++) {
        sum += filter->values[i];
    }
    return (int16_t)(sum / SAMPLES);
}

static int32_t controlled(controller_t *c, int32_t wanted, int32_t measured) {
    int32_t error = wanted - measured;
    int32_t change = error - c->previous;
    c->previous = error;
    c->integral = clamp(c->integral + error / 16, 4096);
    return (c->gain_p * error + c->gain_i * c->integral + c->gain_d * change) / 64;
}

static uint16_t servo(int32_t value) {
    return (uint16_t)(1500 + clamp(value, LIMIT));
}

static int32_t scaled(int32_t value, int32_t parts, int32_t whole) {
    return value * parts / whole;
}

static void sense(void) {
    now.roll = filtered(&filters[0], GYRO_ROLL);
    now.pitch = filtered(&filters[1], GYRO_PITCH);
    now.yaw = filtered(&filters[2], GYRO_YAW);
    now.altitude = (int32_t)(BAROMETER % 1000000u);
}

static void navigate(void) {
    int32_t missing = route[leg] - now.altitude;
    if (missing > -100 && missing < 100 && leg < ROUTE - 1) {
        leg++;
    }
}

static void steer(void) {
    int32_t climb = clamp(scaled(route[leg] - now.altitude, 1, 10), 300);
    output[0] = servo(controlled(&controllers[0], 0, now.roll));
    output[1] = servo(controlled(&controllers[1], climb, now.pitch));
    output[2] = servo(controlled(&controllers[2], 0, now.yaw));
    output[3] = servo(scaled(climb, 3, 2));
}

static void listen(void) {
    uint8_t byte = RADIO;
    if (byte == '$') {
        received = 0;
    } else if (received < sizeof packet) {
        packet[received++] = byte;
    }
}

static void actuate(void) {
    for (int i = 0; i < CHANNELS; i++) {
        SERVO[i] = output[i];
    }
}

int main(void) {
    for (;;) {
        ticks++;
        sense();
        navigate();
        steer();
        listen();
        if (ticks % 4 == 0) {
            actuate();
        }
    }
}
