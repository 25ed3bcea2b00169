// An external function may leave a buffer as it is, when it fails for instance.
int bus_read(unsigned char reg, unsigned char *data, int length);

int identify(void)
{
    unsigned char id;
    (void)bus_read(0xD0, &id, 1);
    return id; // expect: uninitialised unsafe
}

int identify_many(void)
{
    unsigned char data[3];
    int status = bus_read(0xD0, data, 3);
    return status ? data[1] : 0; // expect: uninitialised unsafe
}
