#ifndef VOUCH_CUBLAS_H
#define VOUCH_CUBLAS_H

#include <cublas_v2.h>

#endif
