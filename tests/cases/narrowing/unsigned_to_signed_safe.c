// options: --checks default,cast
unsigned int __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int);

int main(void)
{
    unsigned int word = __VERIFIER_nondet_uint();
    __VERIFIER_assume(word <= 127u);
    signed char low = word;
    low |= 3ul;
    short wide = (short)word;
    return low + wide;
}
