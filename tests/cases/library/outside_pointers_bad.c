// A function without a model demands of its pointers what its prototype says (POSIX: a path is a string, the
// buffer of stat is written).
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int unterminated(void)
{
    char path[4] = {'/', 't', 'm', 'p'};
    return chdir(path); // expect: pointer unsafe
}

int nowhere(const char *path)
{
    return stat(path, NULL); // expect: pointer unsafe
}

int freed(void)
{
    struct timespec *now = NULL;
    return nanosleep(now, NULL); // expect: pointer unsafe
}
