struct config {
    unsigned char mode;
    int rate;
};

static void defaults(struct config *c)
{
    c->rate = 100;
}

int main(void)
{
    struct config c;
    defaults(&c);
    return c.rate == 100 ? c.mode : 0; // expect: uninitialised unsafe
}
