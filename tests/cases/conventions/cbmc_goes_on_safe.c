void __CPROVER_assert(_Bool, const char *);
int nondet_int(void);

int main(void)
{
    int count = nondet_int();
    if (count < 1)
        count = 1;
    __CPROVER_assert(count > 0, "something to share");
    return 100 / count;
}
