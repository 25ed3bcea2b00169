// Hardware calls handlers whatever main does; each is told by another sign.
// replay: no
#include <assert.h>

static unsigned char first[4], second[4], third[4];
static unsigned at;

void TIM2_IRQHandler(void)
{
    first[at++] = 1; // expect: bounds cond-unsafe
}

__attribute__((used)) static void marked(void)
{
    second[at++] = 1; // expect: bounds cond-unsafe
}

static void listed(void)
{
    third[at++] = 1; // expect: bounds cond-unsafe
}

__attribute__((used, section(".vectors"))) static void (*const vectors[])(void) = {listed};

int main(void)
{
    for (;;) {
        at = 0;
    }
}
