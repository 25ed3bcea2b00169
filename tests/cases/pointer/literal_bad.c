int main(void)
{
    char *text = "abc";
    text[0] = 'x'; // expect: pointer unsafe
    return 0;
}
