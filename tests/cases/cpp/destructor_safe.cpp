#include <cassert>
static int open_count;
struct Guard {
    Guard() { ++open_count; }
    ~Guard() { --open_count; }
};
int nondet_int();

static int work()
{
    Guard g;
    if (nondet_int()) {
        return 1;
    }
    return 2;
}

int main()
{
    work();
    assert(open_count == 0);
    return 0;
}
