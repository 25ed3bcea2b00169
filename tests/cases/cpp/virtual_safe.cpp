#include <cassert>
int nondet_int();

struct Shape {
    virtual int area() const = 0;
    virtual ~Shape() {}
};
struct Square : Shape {
    int side;
    explicit Square(int s) : side(s) {}
    int area() const override { return side * side; }
};
struct Strip : Shape {
    int length;
    explicit Strip(int l) : length(l) {}
    int area() const override { return length; }
};

int main()
{
    Square q(3);
    Strip t(5);
    Shape *s = nondet_int() ? static_cast<Shape *>(&q) : static_cast<Shape *>(&t);
    int a = s->area();
    assert(a == 9 || a == 5);
    return 0;
}
