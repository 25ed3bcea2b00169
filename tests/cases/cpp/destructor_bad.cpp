#include <cassert>
static int open_count;
struct Guard {
    Guard() { ++open_count; }
    ~Guard() { --open_count; }
};
int nondet_int();

static int work()
{
    Guard *g = new Guard;
    if (nondet_int()) {
        return 1;
    }
    delete g;
    return 2;
}

int main()
{
    work();
    assert(open_count == 0); // expect: assertion unsafe
    return 0;
}
