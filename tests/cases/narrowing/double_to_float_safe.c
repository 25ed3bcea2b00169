// Losing precision is not losing the value's meaning: only integers are looked at.
double nondet_double(void);

int main(void)
{
    float f = (float)nondet_double();
    return f > 1.0f;
}
