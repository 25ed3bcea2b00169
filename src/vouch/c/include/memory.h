#ifndef VOUCH_MEMORY_H
#define VOUCH_MEMORY_H

#include <string.h>

#endif
