enum state { IDLE, BUSY, DONE, COUNT };
int nondet_int(void);

int main(void)
{
    enum state s = nondet_int() ? COUNT : BUSY;
    static const int cost[3] = {1, 2, 3};
    return cost[s]; // expect: bounds unsafe
}
