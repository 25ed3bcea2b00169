struct bus {
    int (*read)(int reg);
};

int temperature(struct bus *b)
{
    return b->read(3) + 1; // expect: signed-overflow unsafe
}
