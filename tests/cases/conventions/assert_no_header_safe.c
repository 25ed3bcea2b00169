// options: --std gnu89
int main()
{
    int level = nondet_int();
    char *text = "on";
    if (level < 0 || level > 50)
        return 0;
    assert(level <= 50);
    assert(text);
    return 0;
}
