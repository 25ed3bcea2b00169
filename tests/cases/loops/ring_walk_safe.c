// A walk along a list from outside, as long as anybody likes.
struct node {
    int value;
    struct node *next;
};

int walk(struct node *head, unsigned n) {
    int found = 1;
    struct node *at = head;
    for (unsigned i = 0; i < n; i++) {
        if (at->value > 0) { // expect: pointer safe
            found = 100 / at->value; // expect: division-by-zero safe
        }
        at = at->next; // expect: pointer safe
    }
    return found;
}
