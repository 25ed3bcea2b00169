// Code outside may call the library again, which puts null where the caller still looks.
void ext(void);
static int *held;
typedef int (*handler)(int);
static handler handlers[3];

void set(int *p)
{
    held = p;
}

void drop(void)
{
    held = 0;
}

int use(int *p)
{
    held = p;
    ext();
    return *held; // expect: pointer cond-unsafe
}

void unset(unsigned i)
{
    if (i < 3) {
        handlers[i] = 0;
    }
}

int run(unsigned i, int x)
{
    if (i >= 3 || !handlers[i]) {
        return 0;
    }
    handlers[i](x);
    return handlers[i](x); // expect: pointer cond-unsafe
}
