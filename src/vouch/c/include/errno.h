#ifndef VOUCH_ERRNO_H
#define VOUCH_ERRNO_H

#include <vouch_libc.h>

__VOUCH_BEGIN
int *__errno_location(void);
__VOUCH_END
#define errno (*__errno_location())

#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define ENXIO 6
#define E2BIG 7
#define EBADF 9
#define EAGAIN 11
#define ENOMEM 12
#define EACCES 13
#define EFAULT 14
#define EBUSY 16
#define EEXIST 17
#define ENODEV 19
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define ENOSPC 28
#define EPIPE 32
#define EDOM 33
#define ERANGE 34
#define ENOSYS 38
#define ENODATA 61
#define EPROTO 71
#define EOVERFLOW 75
#define EILSEQ 84
#define EMSGSIZE 90
#define ENOTSUP 95
#define ENOBUFS 105
#define ETIMEDOUT 110
#define EALREADY 114
#define EINPROGRESS 115
#define ECANCELED 125

#endif
