// What other files see under another name they can call and change, whatever it is in this one.
static int table[4];
static int limit = 3;
extern int others_limit __attribute__((alias("limit")));
void outside(void);

static int get(int i)
{
    return table[i]; // expect: bounds unsafe
}
extern int others_get(int) __attribute__((alias("get")));

int first(void) { return get(0); }
int last(void)
{
    limit = 3;
    outside();
    return table[limit]; // expect: bounds unsafe
}
