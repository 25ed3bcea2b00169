// Functions that only their prototype is known of, given what it demands.
#include <termios.h>
#include <unistd.h>

void reads(int file)
{
    char to[100];
    pread(file, to, 100, 0);
}

void asks(int file)
{
    struct termios state;
    tcgetattr(file, &state);
}
