int nondet_int(void);

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        int x;
        if (i == 0) {
            x = 1;
        } else {
            x = 2;
        }
        sum += x;
    }
    return sum;
}
