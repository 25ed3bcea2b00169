// Toyota ITC: many numbered functions, a switch over a global flag.
extern volatile int vflag;

void overrun_st_001(void)
{
    char buf[5];
    buf[5] = 1; // expect: bounds unsafe
    (void)buf;
}

void overrun_st_002(void)
{
    short buf[5];
    int index = 5;
    buf[index] = 1; // expect: bounds unsafe
    (void)buf;
}

void overrun_st_003(void)
{
    int buf[5] = {1, 2, 3, 4, 5};
    int *ptr = buf;
    *(ptr + 5) = 1; // expect: pointer unsafe
}

void overrun_main(void)
{
    if (vflag == 1 || vflag == 888) {
        overrun_st_001();
    }
    if (vflag == 2 || vflag == 888) {
        overrun_st_002();
    }
    if (vflag == 3 || vflag == 888) {
        overrun_st_003();
    }
}
