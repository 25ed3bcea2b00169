int bus_read(unsigned char reg, unsigned char *data, int length);

int identify(void)
{
    unsigned char id = 0;
    (void)bus_read(0xD0, &id, 1);
    return id;
}
