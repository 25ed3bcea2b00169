#include <assert.h>
#include <stdint.h>
union word {
    uint32_t whole;
    uint16_t half[2];
    uint8_t byte[4];
};
uint32_t nondet_uint(void);

int main(void)
{
    union word w;
    w.whole = nondet_uint();
    w.byte[0] = 0;
    assert(w.half[0] == 0); // expect: assertion unsafe
    return 0;
}
