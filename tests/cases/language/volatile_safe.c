// Read once, then used twice.
volatile int status;

int main(void)
{
    int now = status;
    if (now != 0 && now != -1) {
        return 100 / now;
    }
    return 0;
}
