// A variable of a type that this file does not know: only its address is used.
struct driver;
extern struct driver default_driver;
int open_driver(struct driver *which);

struct driver *standard(void)
{
    return &default_driver;
}

int ratio(int a, int b)
{
    if (open_driver(&default_driver) == 0)
        return 0;
    return a / b; // expect: division-by-zero unsafe ; signed-overflow unsafe
}

int guarded(int a, int b)
{
    open_driver(&default_driver);
    return b > 0 ? a / b : 0;
}
