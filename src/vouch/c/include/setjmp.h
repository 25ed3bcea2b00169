#ifndef VOUCH_SETJMP_H
#define VOUCH_SETJMP_H

#include <vouch_libc.h>

typedef long jmp_buf[32];
__VOUCH_BEGIN
int setjmp(jmp_buf) __attribute__((__returns_twice__));
__attribute__((__noreturn__)) void longjmp(jmp_buf, int);
__VOUCH_END
#define setjmp setjmp

#endif
