// No default.
int nondet_int(void);

int main(void)
{
    int delay;
    switch (nondet_int()) {
    case 0:
        delay = 1;
        break;
    case 1:
        delay = 5;
        break;
    }
    return delay; // expect: uninitialised unsafe
}
