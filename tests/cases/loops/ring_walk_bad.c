// The walk leaves zero behind: a list that is a ring comes by again.
struct node {
    int value;
    struct node *next;
};

int walk(struct node *head, unsigned n) {
    int found = 1;
    struct node *at = head;
    if (at->value <= 0 || at->next->value <= 0) {
        return 0;
    }
    for (unsigned i = 0; i < n && i < 2; i++) {
        found ^= 100 / at->value; // expect: division-by-zero unsafe
        at->value = 0;
        at = at->next;
    }
    return found;
}
