// A function returns the pointer that lies where its parameter leads.
static char *held(char **place)
{
    return *place;
}

static char *step(char **rest)
{
    char *now = *rest;
    *rest = now + 1;
    return now;
}

int both(char *text)
{
    char *rest = text;
    char *before = step(&rest);
    return *before + *rest;
}

int inside(void)
{
    char two[2] = {1, 2};
    char *rest = two;
    step(&rest);
    return *held(&rest);
}

int behind(void)
{
    char two[2] = {1, 2};
    char *rest = two;
    step(&rest);
    step(&rest);
    return *held(&rest); // expect: pointer unsafe
}
