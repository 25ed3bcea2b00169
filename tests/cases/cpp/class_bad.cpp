#include <cassert>
int nondet_int();

class Counter {
public:
    explicit Counter(int limit) : limit_(limit), value_(0) {}
    void step()
    {
        if (value_ <= limit_) {
            ++value_;
        }
    }
    int value() const { return value_; }

private:
    int limit_, value_;
};

int main()
{
    Counter c(2);
    for (int i = 0; i < 4; ++i) {
        c.step();
    }
    assert(c.value() == 2); // expect: assertion unsafe
    return 0;
}
