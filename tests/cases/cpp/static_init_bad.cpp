#include <cassert>

static int square(int x)
{
    return x * x;
}
struct Config {
    int rate;
    Config() : rate(square(5)) {}
};
static Config config;

int main()
{
    assert(config.rate == 0); // expect: assertion unsafe
    return 0;
}
