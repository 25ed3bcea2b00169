// A variable is what it was declared: a pointer to a larger struct does not lead to it.
struct pair { int id, gain; };
struct both { struct pair first; int rest; };
int flag;
struct pair shared;

int number(struct pair *p)
{
    if (p->gain == 0)
        return 0;
    flag = 0;
    return 10 / p->gain;
}

int part(struct both *p)
{
    if (p->first.gain == 0)
        return 0;
    shared.gain = 0;
    return 10 / p->first.gain;
}
