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
    assert(config.rate == 25);
    return 0;
}
