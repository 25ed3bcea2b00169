// options: --checks default,cast
// All high bits set: extended back by the sign nothing seems lost, but the value is another one.
unsigned int __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int);

int main(void)
{
    unsigned int word = __VERIFIER_nondet_uint();
    __VERIFIER_assume(word >= 0xFFFFFF80u);
    signed char low = word;             // expect: narrowing unsafe
    low -= 5ul;                         // expect: narrowing unsafe|cond-unsafe
    short wide = (short)word;           // expect: cast unsafe
    _Bool flag = word & 1u;
    char product = (char)(18446744073709551614ul * flag);  // expect: cast unsafe
    return low + wide + product;
}
