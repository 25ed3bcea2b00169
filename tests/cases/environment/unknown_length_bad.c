// An array of another file has no length here, but it begins somewhere.
extern char table[];

int before(int index)
{
    return index < 10 ? table[index] : 0; // expect: pointer unsafe
}
