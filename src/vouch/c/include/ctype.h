#ifndef VOUCH_CTYPE_H
#define VOUCH_CTYPE_H

#include <vouch_libc.h>

__VOUCH_BEGIN
int isalnum(int);
int isalpha(int);
int isascii(int);
int isblank(int);
int iscntrl(int);
int isdigit(int);
int isgraph(int);
int islower(int);
int isprint(int);
int ispunct(int);
int isspace(int);
int isupper(int);
int isxdigit(int);
int toascii(int);
int tolower(int);
int toupper(int);
__VOUCH_END

#endif
