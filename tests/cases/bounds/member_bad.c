// The length from outside is not checked.
// options: --unwind 12
struct packet {
    unsigned char length;
    unsigned char data[8];
};
unsigned char nondet_uchar(void);

int main(void)
{
    struct packet p = {0};
    p.length = nondet_uchar();
    if (p.length > 10) {
        p.length = 10;
    }
    unsigned sum = 0;
    for (unsigned i = 0; i < p.length; i++) {
        sum += p.data[i]; // expect: bounds unsafe
    }
    return sum == 0;
}
