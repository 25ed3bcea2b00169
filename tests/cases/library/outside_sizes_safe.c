// As many bytes as there are, or none at all.
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

void sent(int socket)
{
    char data[10] = {0};
    send(socket, data, 10, 0);
    send(socket, NULL, 0, 0);
}

void where(void)
{
    char path[10];
    getcwd(path, sizeof path);
    getcwd(NULL, 100);
}

void file(void)
{
    char path[] = "/tmp/XXXXXX";
    mkstemp(path);
}
