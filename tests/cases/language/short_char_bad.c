// A negative char as an index.
char nondet_char(void);
static int count[256];

int main(void)
{
    char c = nondet_char();
    return count[c]; // expect: bounds unsafe
}
