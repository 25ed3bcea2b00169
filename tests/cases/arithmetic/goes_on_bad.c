// Execution goes on with the wrapped value after an overflow, so the second defect is found as well.
int nondet_int(void);

int main(void)
{
    int x = nondet_int();
    int y = x + 1; // expect: signed-overflow unsafe
    if (x == 2147483647) {
        return 10 / (y + 2147483647 + 1); // expect: division-by-zero unsafe
    }
    return 0;
}
