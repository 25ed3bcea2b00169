// options: --strict-pointers
struct sensor {
    int raw;
};

int value(const struct sensor *s)
{
    return s->raw; // expect: pointer unsafe
}
