int wait_for(int flag) {
    if (flag < -9)
        return 0;
    while (flag > 3)
        ;
    return 100 / (flag - 3); // expect: division-by-zero unsafe
}
