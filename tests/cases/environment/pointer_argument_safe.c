// Pointers from outside are valid, their contents arbitrary.
struct sensor {
    int raw;
    int offset;
};

int corrected(const struct sensor *s)
{
    return (s->raw & 0xFFFF) - (s->offset & 0xFFFF);
}
