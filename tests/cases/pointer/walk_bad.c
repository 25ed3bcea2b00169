int main(void)
{
    char text[6] = "hello";
    char *p = text, *end = p + 7;
    int n = 0;
    while (p < end) {
        if (*p++ == 'l') { // expect: pointer unsafe
            n++;
        }
    }
    return n;
}
