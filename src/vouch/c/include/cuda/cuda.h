#ifndef VOUCH_CUDA_H
#define VOUCH_CUDA_H

#include <cuda_runtime.h>

#endif
