int third(const int a[static 3])
{
    return a[3]; // expect: pointer unsafe
}

// What the program itself passes is as long as it is.
int second(const int a[static 2])
{
    return a[1]; // expect: pointer unsafe
}

int passes_one(void)
{
    int single = 3;
    const int *p = &single;
    return second(p);
}
