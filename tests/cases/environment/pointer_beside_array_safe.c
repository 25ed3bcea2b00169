// A pointer in an object is one from outside also where the object was read at a variable place before.
struct device {
    unsigned char buffer[16];
    struct device *next;
    short offset;
};

int sum(struct device *d, unsigned i)
{
    int first = d->buffer[i & 15];
    return first + d->next->offset;
}
