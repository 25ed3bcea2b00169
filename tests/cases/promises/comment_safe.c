// vouch: range speed 0..250
// vouch: requires low <= high && low >= -5 && high - 3 < 1000
int ramp(int speed, int low, int high)
{
    if (high - low < 0)
        return 1 / (high - high);
    return speed * 8000000;
}
