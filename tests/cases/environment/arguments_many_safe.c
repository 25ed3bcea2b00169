// There are never so many arguments that the table of them does not fit into memory.
// options: --target i386-linux-gnu
int main(int argc, char **argv)
{
    if (argc > 2) {
        return argv[2] == 0;
    }
    return argv[argc] != 0;
}
