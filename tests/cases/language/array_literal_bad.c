// The rest of an array literal is filled by a loop of one basic block.
int item(unsigned i)
{
    return ((int[3]){1})[i & 3]; // expect: bounds unsafe
}

int behind(unsigned i)
{
    const int *items = (int[3]){0};
    int sum = items[0];
    return 10 / (sum + (i != 7)); // expect: division-by-zero unsafe
}
