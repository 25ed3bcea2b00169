// Classes, templates, references, virtual calls, static initialisation, exceptions: read by test_reader.py.
struct Shape {
    virtual ~Shape() {}
    virtual int area() const = 0;
    static int count;
};

struct Square : Shape {
    int side;
    explicit Square(int s) : side(s) { ++count; }
    int area() const override { return side * side; }
};

int Shape::count = 0;

template <typename T> T largest(const T &a, const T &b) { return a < b ? b : a; }

namespace outer {
struct Guard {
    int *p;
    explicit Guard(int *q) : p(q) {}
    ~Guard() { *p = 0; }
};
}

int compute(int);
int global = compute(3);

int risky(int x) {
    outer::Guard guard(&global);
    if (x < 0) throw x;
    return compute(x);
}

int use(Shape &shape) {
    try {
        return risky(largest(shape.area(), 3));
    } catch (int e) {
        return e;
    }
}

int main() {
    Square *s = new Square(4);
    int n = use(*s);
    delete s;
    auto f = [&](int x) { return x + n; };
    bool b = f(2) > 3;
    return b ? int(largest(2.5, 3.5)) : 0;
}
