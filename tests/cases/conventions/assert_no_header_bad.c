// assert without its header is taken for what it says, and ends the execution where it fails.
// options: --std gnu89
int main()
{
    int level = nondet_int();
    assert(level != 7); // expect: assertion unsafe
    assert(level != 7);
    assert(level < 50); // expect: assertion unsafe
    return 0;
}
