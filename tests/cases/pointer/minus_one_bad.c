// The address -1 says "none" in many interfaces; it is no device register.
int main(void)
{
    int *mapped = (int *)-1;
    return *mapped; // expect: pointer unsafe
}
