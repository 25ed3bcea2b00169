// A program's own assert is a function like any other.
static int failures;

void assert(int code)
{
    if (code != 0)
        failures = 1;
}

int main(void)
{
    assert(0);
    return failures;
}
