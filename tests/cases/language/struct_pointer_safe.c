// A list on the stack, walked to its end.
struct node {
    int value;
    struct node *next;
};

int main(void)
{
    struct node c = {3, 0}, b = {2, &c}, a = {1, &b};
    int sum = 0;
    for (struct node *p = &a; p; p = p->next) {
        sum += p->value;
    }
    return sum == 6;
}
