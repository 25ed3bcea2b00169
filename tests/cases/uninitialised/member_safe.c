struct config {
    unsigned char mode;
    int rate;
};

static void defaults(struct config *c)
{
    c->mode = 1;
    c->rate = 100;
}

int main(void)
{
    struct config c;
    defaults(&c);
    return c.rate / c.mode;
}
