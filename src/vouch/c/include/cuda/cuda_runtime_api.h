#ifndef VOUCH_CUDA_RUNTIME_API_H
#define VOUCH_CUDA_RUNTIME_API_H

/* The part of CUDA's runtime that host programs of networks use, for C and C++. Its functions are models
   (`models/cuda.c`). */
#include <stddef.h>

#define CUDART_VERSION 12000
#define CUDARTAPI

#ifdef __cplusplus
#define VOUCH_NOTHROW noexcept
#else
#define VOUCH_NOTHROW
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInitializationError = 3,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidPitchValue = 12,
    cudaErrorInvalidSymbol = 13,
    cudaErrorInvalidDevicePointer = 17,
    cudaErrorInvalidMemcpyDirection = 21,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorNotReady = 600,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchFailure = 719,
    cudaErrorUnknown = 999
} cudaError_t;

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;

enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
enum { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2 };
enum { cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2 };
enum { cudaMemAttachGlobal = 1, cudaMemAttachHost = 2 };

#define cudaStreamLegacy ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)

struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    int warpSize;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    int major;
    int minor;
    int multiProcessorCount;
};

cudaError_t cudaFree(void *devPtr) VOUCH_NOTHROW;
cudaError_t cudaFreeHost(void *ptr) VOUCH_NOTHROW;
cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind) VOUCH_NOTHROW;
cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind) VOUCH_NOTHROW;
cudaError_t cudaMemset(void *devPtr, int value, size_t count) VOUCH_NOTHROW;
cudaError_t cudaMemGetInfo(size_t *free, size_t *total) VOUCH_NOTHROW;
cudaError_t cudaDeviceSynchronize(void) VOUCH_NOTHROW;
cudaError_t cudaDeviceReset(void) VOUCH_NOTHROW;
cudaError_t cudaSetDevice(int device) VOUCH_NOTHROW;
cudaError_t cudaGetDevice(int *device) VOUCH_NOTHROW;
cudaError_t cudaGetDeviceCount(int *count) VOUCH_NOTHROW;
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device) VOUCH_NOTHROW;
cudaError_t cudaGetLastError(void) VOUCH_NOTHROW;
cudaError_t cudaPeekAtLastError(void) VOUCH_NOTHROW;
const char *cudaGetErrorString(cudaError_t error) VOUCH_NOTHROW;
const char *cudaGetErrorName(cudaError_t error) VOUCH_NOTHROW;
cudaError_t cudaStreamCreate(cudaStream_t *pStream) VOUCH_NOTHROW;
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned flags) VOUCH_NOTHROW;
cudaError_t cudaStreamDestroy(cudaStream_t stream) VOUCH_NOTHROW;
cudaError_t cudaStreamSynchronize(cudaStream_t stream) VOUCH_NOTHROW;
cudaError_t cudaStreamQuery(cudaStream_t stream) VOUCH_NOTHROW;
cudaError_t cudaEventCreate(cudaEvent_t *event) VOUCH_NOTHROW;
cudaError_t cudaEventDestroy(cudaEvent_t event) VOUCH_NOTHROW;
cudaError_t cudaEventSynchronize(cudaEvent_t event) VOUCH_NOTHROW;
cudaError_t cudaEventQuery(cudaEvent_t event) VOUCH_NOTHROW;
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) VOUCH_NOTHROW;

cudaError_t cudaMalloc(void **devPtr, size_t size) VOUCH_NOTHROW;
cudaError_t cudaMallocHost(void **ptr, size_t size) VOUCH_NOTHROW;
cudaError_t cudaMallocManaged(void **devPtr, size_t size, unsigned flags) VOUCH_NOTHROW;
cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned flags) VOUCH_NOTHROW;
/* C++ gives these default arguments, and those above overloads (cuda_runtime.h). */
#ifdef __cplusplus
#define VOUCH_DEFAULT(value) = value
#else
#define VOUCH_DEFAULT(value)
#endif
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) VOUCH_NOTHROW;
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream VOUCH_DEFAULT(0)) VOUCH_NOTHROW;
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags VOUCH_DEFAULT(0)) VOUCH_NOTHROW;
cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                            cudaStream_t stream VOUCH_DEFAULT(0)) VOUCH_NOTHROW;
cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream VOUCH_DEFAULT(0)) VOUCH_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif
