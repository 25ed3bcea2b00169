struct device {
    unsigned char buffer[16];
    struct device *next;
    short offset;
};

int sum(struct device *d, unsigned i)
{
    int first = d->buffer[i & 15];
    return 100 / (first + d->next->offset); // expect: division-by-zero unsafe
}

#ifdef EVIDENCE
int main(void)
{
    struct device a = {.buffer = {1}}, b = {.offset = -1};
    a.next = &b;
    return sum(&a, 0);
}
#endif
