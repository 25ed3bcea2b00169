// options: --strategy global --unwind 2
// Nothing in the loop changes what it waits for: whoever enters it stays there.
int wait_for(int flag) {
    if (flag < -9)
        return 0;
    while (flag > 3)
        ;
    return 100 / (flag - 4);
}
