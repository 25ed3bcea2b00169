#ifndef VOUCH_LOCALE_H
#define VOUCH_LOCALE_H

#include <vouch_libc.h>

#define LC_ALL 6
__VOUCH_BEGIN
char *setlocale(int, const char *);
__VOUCH_END

#endif
