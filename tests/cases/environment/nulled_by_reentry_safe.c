// Nobody puts null there, or it is looked for again.
void ext(void);
static int *held, *other;

void set(int *p)
{
    held = p;
}

void drop(void)
{
    other = 0;
}

int use(int *p)
{
    held = p;
    ext();
    return *held;
}

int again(int *p)
{
    other = p;
    ext();
    return other ? *other : 0;
}
