#ifndef VOUCH_SYS_TYPES_H
#define VOUCH_SYS_TYPES_H

#include <stdint.h>
#include <time.h>
#include <unistd.h>

typedef int pid_t;
typedef unsigned int mode_t;

#endif
