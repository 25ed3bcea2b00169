int wait_for(int flag, int other) {
    if (flag < -9)
        return 0;
    while (flag > 3)
        other = 1;
    return 100 / (flag - 3) + (other == 1); // expect: division-by-zero unsafe
}
