// Globals that other files can see may change.
void poll_hardware(void);
int divisor = 3;

int main(void)
{
    poll_hardware();
    return 100 / divisor; // expect: division-by-zero unsafe
}
