// The walk looks one node too far; the pointer begins as a device's address.
struct node {
    int value;
    struct node *next;
};

int api(unsigned n) {
    struct node c = {3, 0}, b = {2, &c};
    struct node *p = (struct node *)0x40000000;
    int sum = 0;
    for (unsigned i = 0; i < n && i < 4; i++) {
        p = i ? p->next : &b; // expect: pointer unsafe
        sum |= i > 1 ? 0 : p->value;
    }
    return sum;
}
