// Calls from inside the program need not keep to it.
// vouch: range speed 0..250
int ramp(int speed)
{
    return speed * 8000000; // expect: signed-overflow unsafe
}

int twice(void)
{
    return ramp(300);
}
