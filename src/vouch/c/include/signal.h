#ifndef VOUCH_SIGNAL_H
#define VOUCH_SIGNAL_H

#include <vouch_libc.h>

typedef int sig_atomic_t;
#define SIGABRT 6
#define SIGFPE 8
#define SIGILL 4
#define SIGINT 2
#define SIGSEGV 11
#define SIGTERM 15
#define SIG_DFL ((void (*)(int))0)
#define SIG_IGN ((void (*)(int))1)
#define SIG_ERR ((void (*)(int))-1)
__VOUCH_BEGIN
void (*signal(int, void (*)(int)))(int);
int raise(int);
__VOUCH_END

#endif
