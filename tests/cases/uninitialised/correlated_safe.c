// Set and read under the same condition.
int nondet_int(void);

int main(void)
{
    int flag = nondet_int(), value;
    if (flag > 3) {
        value = 7;
    }
    if (flag > 5) {
        return value;
    }
    return 0;
}
