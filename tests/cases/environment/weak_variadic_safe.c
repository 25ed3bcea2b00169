// Variable arguments cannot be handed on to whatever takes the place of a function: a warning says so.
// warning: sum: weak, taken not to be replaced by a definition elsewhere
__attribute__((weak)) int sum(int count, ...)
{
    return count & 3;
}

int table[4];

int first(void)
{
    return table[sum(1, 2)];
}
