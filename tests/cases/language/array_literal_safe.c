int item(unsigned i)
{
    return ((int[4]){1})[i & 3];
}

int behind(unsigned i)
{
    const int *items = (int[3]){1};
    return 10 / (items[0] + (i != 7));
}
