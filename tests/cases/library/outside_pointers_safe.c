#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int terminated(void)
{
    char path[5] = {'/', 't', 'm', 'p'};
    return chdir(path);
}

int somewhere(const char *path)
{
    struct stat found;
    return stat(path, &found);
}

int waits(void)
{
    struct timespec now = {1, 0};
    return nanosleep(&now, NULL);
}
