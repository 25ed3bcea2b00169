struct Node {
    int value;
    explicit Node(int v) : value(v) {}
};

int main()
{
    Node *n = new Node(4);
    delete n;
    return n->value; // expect: pointer unsafe
}
