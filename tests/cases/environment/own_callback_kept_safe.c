// A variable of the program's own holds a function: one that the program has put there, which gets what it can take.
static char table[8];

static void count(const int *kind)
{
    table[*kind] = 1;
}

static void (*handler)(const int *);

void enable(void)
{
    handler = count;
}

void event(void)
{
    int kind = 7;
    if (handler)
        handler(&kind);
}
