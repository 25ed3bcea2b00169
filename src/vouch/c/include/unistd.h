#ifndef VOUCH_UNISTD_H
#define VOUCH_UNISTD_H

#include <vouch_libc.h>

typedef long ssize_t;
typedef long off_t;
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
__VOUCH_BEGIN
ssize_t read(int, void *, size_t);
ssize_t write(int, const void *, size_t);
int close(int);
unsigned int sleep(unsigned int);
int usleep(unsigned int);
__VOUCH_END

#endif
