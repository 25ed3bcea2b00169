#include <cassert>
struct Fixed {
    int raw;
    Fixed operator+(const Fixed &o) const { return Fixed{raw + o.raw}; }
    bool operator<(const Fixed &o) const { return raw < o.raw; }
};
short nondet_short();

int main()
{
    Fixed a{nondet_short()}, one{256};
    assert(a < a + one);
    return 0;
}
