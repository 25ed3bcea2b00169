// The same, with a divisor that comes to zero in the last turn.
struct node {
    struct node *left, *right, *up;
    unsigned weight;
};

static unsigned total(struct node *n, unsigned depth)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < depth; i++) {
        n->left->up->right->weight = i;
        n->right->up->left->weight = i;
        n->up = n->left->right;
        n = n->up;
        sum += n->weight / (depth - 1u - i); // expect: division-by-zero unsafe
    }
    return sum;
}

unsigned ring(unsigned depth)
{
    struct node a = {0};
    a.left = a.right = a.up = &a;
    return depth < 3 ? total(&a, depth) : 0;
}
