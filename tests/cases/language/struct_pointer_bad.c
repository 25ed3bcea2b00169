// The walk looks one node too far.
struct node {
    int value;
    struct node *next;
};

int main(void)
{
    struct node c = {3, 0}, b = {2, &c}, a = {1, &b};
    int sum = 0;
    for (struct node *p = &a; p; p = p->next) {
        sum |= p->next->value; // expect: pointer unsafe
    }
    return sum == 5;
}
