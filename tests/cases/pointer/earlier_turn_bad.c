// A variable of a block is another one with each turn of the loop: pointers from the last turn lead nowhere. The
// compiler puts both into the same place, so that a run shows nothing.
// options: --no-replay
// replay: no
struct node {
    int value;
    struct node *next;
};

int last(void)
{
    int *kept = 0, sum = 0;
    for (int i = 0; i < 3; i++) {
        int value = i;
        if (kept)
            sum ^= *kept; // expect: pointer unsafe
        kept = &value;
    }
    return sum;
}

int list(int skipped)
{
    struct node *first = 0;
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        if (i != skipped) {
            struct node node;
            node.value = i;
            node.next = first;
            first = &node;
            if (node.next)
                sum ^= node.next->value; // expect: pointer unsafe
        }
    }
    return sum;
}

int as_number(void)
{
    unsigned long kept = 0;
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        int value = i;
        if (kept)
            sum ^= *(int *)kept; // expect: pointer unsafe
        kept = (unsigned long)&value;
    }
    return sum;
}

int in_a_table(unsigned start)
{
    int *kept[4] = {0};
    int sum = 0;
    for (int i = 0; i < 3; i++, start--) {
        int value = i;
        if (kept[(start + 1) & 3])
            sum ^= *kept[(start + 1) & 3]; // expect: pointer unsafe
        kept[start & 3] = &value;
    }
    return sum;
}

int literal(void)
{
    int sum = 0, *kept = 0;
    for (int i = 0; i < 3; i++) {
        int *now = &(int){i};
        sum ^= kept ? *kept : 0; // expect: pointer unsafe
        kept = now;
    }
    return sum;
}
