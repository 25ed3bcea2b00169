// A variable of the program's own holds a function: one that the program has put there.
static char table[8];

static void count(const int *kind)
{
    table[*kind] = 1; // expect: bounds unsafe
}

static void (*handler)(const int *);

void enable(void)
{
    handler = count;
}

void event(void)
{
    int kind = 8;
    if (handler)
        handler(&kind);
}
