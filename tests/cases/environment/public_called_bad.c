// A public function is called from elsewhere too, with other arguments than the program's own.
int scale(int x)
{
    return 100 / x; // expect: division-by-zero unsafe
}

int twice(void)
{
    return scale(1) + scale(2);
}
