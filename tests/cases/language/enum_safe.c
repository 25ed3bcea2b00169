enum state { IDLE, BUSY, DONE };
int nondet_int(void);

int main(void)
{
    enum state s = IDLE;
    for (int i = 0; i < 3; i++) {
        switch (s) {
        case IDLE:
            s = nondet_int() ? BUSY : IDLE;
            break;
        case BUSY:
            s = DONE;
            break;
        case DONE:
            s = IDLE;
            break;
        }
    }
    static const int cost[3] = {1, 2, 3};
    return cost[s];
}
