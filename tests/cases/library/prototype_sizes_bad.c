// Functions that only their prototype is known of: as many bytes as an argument says.
#include <stddef.h>
#include <termios.h>
#include <unistd.h>

void reads(int file)
{
    char to[100];
    pread(file, to, 101, 0); // expect: pointer unsafe
}

void asks(int file)
{
    tcgetattr(file, NULL); // expect: pointer unsafe
}
