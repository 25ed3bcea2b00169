// 0 / 0
// options: --checks float
float nondet_float(void);

int main(void)
{
    float a = nondet_float();
    if (a >= 0.0f && a < 2.0f) {
        return a / a > 0.5f; // expect: float unsafe
    }
    return 0;
}
