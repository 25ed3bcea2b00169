// Comparison with the end pointer ends the loop.
int main(void)
{
    char text[6] = "hello";
    char *p = text, *end = text + 5;
    int n = 0;
    while (p < end) {
        if (*p++ == 'l') {
            n++;
        }
    }
    return n;
}
