// What ranges know of a variable at a loop of its own function holds at no loop of a callee.
static void count(int *p, int k)
{
    for (int i = 0; i < k; i++)
        *p = *p < 100000 ? *p + 1 : 0;
}

int f(int k)
{
    int x = 0, s = 0;
    for (int i = 0; i < k; i++) // the same label as the loop above, and x is 0 here
        s ^= i;
    count(&x, k);
    return 10 / (x - 70000); // expect: division-by-zero bound-safe; signed-overflow bound-safe
}
