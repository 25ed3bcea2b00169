#include <cassert>
struct Fixed {
    int raw;
    Fixed operator+(const Fixed &o) const { return Fixed{raw + o.raw}; } // expect: signed-overflow unsafe
};
int nondet_int();

int main()
{
    Fixed a{nondet_int()}, one{256};
    return (a + one).raw > 0;
}
