#ifndef VOUCH_MALLOC_H
#define VOUCH_MALLOC_H

#include <stdlib.h>

#endif
