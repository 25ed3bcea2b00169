// The same where it is looked at what others may pass and leave.
static int table[4];
static int limit = 3;
extern int others_limit __attribute__((alias("limit")));
void outside(void);

static int get(int i) { return i >= 0 && i < 4 ? table[i] : 0; }
extern int others_get(int) __attribute__((alias("get")));

int first(void) { return get(0); }
int last(void)
{
    outside();
    return limit >= 0 && limit < 4 ? table[limit] : 0;
}
