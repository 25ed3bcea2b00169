struct driver {
    int (*get)(void);
};

static int fixed(void)
{
    return 0;
}

int main(void)
{
    struct driver d = {fixed};
    return 100 / d.get(); // expect: division-by-zero unsafe
}
