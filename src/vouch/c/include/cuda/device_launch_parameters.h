#ifndef VOUCH_DEVICE_LAUNCH_PARAMETERS_H
#define VOUCH_DEVICE_LAUNCH_PARAMETERS_H

#include <cuda_runtime.h>

#endif
