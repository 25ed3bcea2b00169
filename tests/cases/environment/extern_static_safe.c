void poll_hardware(void);
static int divisor = 3;

int main(void)
{
    poll_hardware();
    return 100 / divisor;
}
