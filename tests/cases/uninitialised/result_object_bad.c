// The variable is the place of the result itself; it is read before it is set.
struct table {
    int size;
    int rows[8];
};

struct table make(int size)
{
    struct table t;
    if (size > 2)
        t.size = size;
    t.rows[0] = t.size; // expect: uninitialised unsafe
    return t;
}
