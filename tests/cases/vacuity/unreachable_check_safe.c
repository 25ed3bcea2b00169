// Dead code is safe, and says why.
int nondet_int(void);

int main(void)
{
    unsigned char c = (unsigned char)(nondet_int() & 0x7F);
    if (c > 200) {
        return 10 / (c - c); // expect: division-by-zero safe unreachable
    }
    return 0;
}
