#include <stdint.h>
typedef void (*task_t)(void);
static uint32_t ticks;

static void blink(void)
{
    ticks++;
}
static const task_t tasks[4] = {blink, blink, 0, blink};

void run(uint8_t slot)
{
    if (tasks[slot % 4u] != 0) {
        tasks[slot % 4u]();
    }
}
