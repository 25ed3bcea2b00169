int main(void)
{
    char text[] = "abc";
    text[0] = 'x';
    return text[0] == 'x';
}
