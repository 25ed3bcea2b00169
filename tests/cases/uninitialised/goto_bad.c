// The jump passes the assignment.
int nondet_int(void);

int main(void)
{
    int result;
    if (nondet_int()) {
        goto out;
    }
    result = 0;
out:
    return result; // expect: uninitialised unsafe
}
