#ifndef VOUCH_BITS_H
#define VOUCH_BITS_H

/* What the other headers share. */
#ifdef __cplusplus
#define __VOUCH_BEGIN extern "C" {
#define __VOUCH_END }
#else
#define __VOUCH_BEGIN
#define __VOUCH_END
#endif

#define __need_size_t
#define __need_NULL
#include <stddef.h>

#endif
