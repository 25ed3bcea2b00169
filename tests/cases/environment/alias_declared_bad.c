// A pointer may lead into a variable that holds what it points to.
struct pair { int id, gain; };
struct both { struct pair first; int rest; };
struct pair shared;
struct both whole;

int number(int *p)
{
    if (*p == 0)
        return 0;
    shared.gain = 0;
    return 10 / *p; // expect: division-by-zero unsafe
}

int part(struct pair *p)
{
    if (p->gain == 0)
        return 0;
    whole.first.gain = 0;
    return 10 / p->gain; // expect: division-by-zero unsafe
}
