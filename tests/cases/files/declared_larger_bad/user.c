/* Declared as larger than the other file defines it. */
extern int samples[10];
extern int grid[2][4];

int sample(unsigned i)
{
    return i < 10 ? samples[i] : 0; // expect: pointer unsafe
}

int at(unsigned i)
{
    return grid[1][i & 3]; // expect: pointer unsafe
}
