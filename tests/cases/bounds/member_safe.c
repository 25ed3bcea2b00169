struct packet {
    unsigned char length;
    unsigned char data[8];
};
unsigned char nondet_uchar(void);

int main(void)
{
    struct packet p = {0};
    p.length = nondet_uchar();
    if (p.length > 8) {
        p.length = 8;
    }
    unsigned sum = 0;
    for (unsigned i = 0; i < p.length; i++) {
        sum += p.data[i];
    }
    return sum == 0;
}
