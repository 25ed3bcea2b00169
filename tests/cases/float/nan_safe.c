// options: --checks float
float nondet_float(void);

int main(void)
{
    float a = nondet_float();
    if (a > 1.0f && a < 2.0f) {
        return 1.0f / a > 0.5f;
    }
    return 0;
}
