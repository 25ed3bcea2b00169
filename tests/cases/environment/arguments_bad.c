// argv[argc] is null.
int main(int argc, char **argv)
{
    return argv[argc][0] == '-'; // expect: pointer unsafe
}
