// Two reads of a volatile may differ.
volatile int status;

int main(void)
{
    if (status != 0) {
        return 100 / status; // expect: division-by-zero unsafe
    }
    return 0;
}
