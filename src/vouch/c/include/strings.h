#ifndef VOUCH_STRINGS_H
#define VOUCH_STRINGS_H

#include <string.h>

__VOUCH_BEGIN
void bzero(void *, size_t);
void bcopy(const void *, void *, size_t);
int bcmp(const void *, const void *, size_t);
int ffs(int);
__VOUCH_END

#endif
