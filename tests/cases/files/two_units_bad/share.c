int share(int total, int people)
{
    return total / people; // expect: division-by-zero unsafe
}
