// Where a prototype says how many bytes there are, so many are demanded.
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

void sent(int socket)
{
    char data[10] = {0};
    send(socket, data, 11, 0); // expect: pointer unsafe
}

void where(void)
{
    char path[10];
    getcwd(path, 11); // expect: pointer unsafe
}

void name(unsigned size)
{
    char host[10];
    gethostname(host, size); // expect: pointer unsafe
}

void file(void)
{
    mkstemp("/tmp/XXXXXX"); // expect: pointer unsafe
}
