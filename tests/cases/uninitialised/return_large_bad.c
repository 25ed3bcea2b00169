// A struct that is returned in memory.
struct table {
    int size;
    int rows[8];
};

static struct table make(int size)
{
    struct table t;
    t.size = size;
    for (int i = 0; i < 4; i++)
        t.rows[i] = i;
    return t;
}

int main(void)
{
    struct table t = make(4);
    return t.rows[t.size]; // expect: uninitialised unsafe
}
