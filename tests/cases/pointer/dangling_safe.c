static int kept;

static int *address(void)
{
    return &kept;
}

int main(void)
{
    *address() = 4;
    return kept;
}
