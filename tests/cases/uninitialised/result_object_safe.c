struct table {
    int size;
    int rows[8];
};

struct table make(int size)
{
    struct table t;
    t.size = size;
    t.rows[0] = t.size;
    return t;
}
