static int scale(int x)
{
    return x * 100; // expect: signed-overflow unsafe
}

int percent(int part, int whole)
{
    return scale(part) / whole; // expect: division-by-zero unsafe; signed-overflow unsafe
}
