#ifndef VOUCH_ALLOCA_H
#define VOUCH_ALLOCA_H

#define alloca(size) __builtin_alloca(size)

#endif
