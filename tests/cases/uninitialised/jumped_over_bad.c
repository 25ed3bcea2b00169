// A switch jumps over what stands before its first case: the initialiser never runs.
int pick(int kind)
{
    switch (kind) {
        int gain = 4;
    case 0:
        return gain; // expect: uninitialised unsafe
    default:
        return 1;
    }
}

int set_in_one(int kind)
{
    int sum = 0;
    switch (kind) {
        int part;
    case 1:
        part = 3;
        sum = part;
        break;
    case 2:
        sum = part; // expect: uninitialised unsafe
        break;
    }
    return sum;
}
