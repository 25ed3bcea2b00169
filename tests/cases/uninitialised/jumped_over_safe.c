int set_in_both(int kind)
{
    int sum = 0;
    switch (kind) {
        int part;
    case 1:
        part = 3;
        sum = part;
        break;
    case 2:
        part = 5;
        sum = part;
        break;
    }
    return sum;
}
