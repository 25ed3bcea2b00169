struct sensor {
    int raw;
    int offset;
};

int corrected(const struct sensor *s)
{
    return s->raw - s->offset; // expect: signed-overflow unsafe
}
