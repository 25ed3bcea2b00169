extern char table[];

int inside(unsigned index)
{
    return index < 10 ? table[index] : 0;
}
