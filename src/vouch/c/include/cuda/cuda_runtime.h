#ifndef VOUCH_CUDA_RUNTIME_H
#define VOUCH_CUDA_RUNTIME_H

/* CUDA read as C++: a kernel is a function that one thread executes, and which thread that is comes from
   outside. Memory of the device is memory. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __shared__ static
#define __forceinline__ inline
#define __noinline__
#define __restrict__ __restrict
#define __launch_bounds__(...)

struct uint3 { unsigned x, y, z; };
struct dim3 {
    unsigned x, y, z;
    dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
struct int2 { int x, y; };
struct int3 { int x, y, z; };
struct int4 { int x, y, z, w; };
struct float2 { float x, y; };
struct float3 { float x, y, z; };
struct float4 { float x, y, z, w; };
struct double2 { double x, y; };

extern const uint3 threadIdx, blockIdx, blockDim, gridDim;
static const int warpSize = 32;

static inline void __syncthreads() {}
static inline void __syncwarp() {}
static inline void __threadfence() {}

template <typename T> static inline T atomicAdd(T *p, T x) { T old = *p; *p = old + x; return old; }
template <typename T> static inline T atomicMax(T *p, T x) { T old = *p; if (old < x) *p = x; return old; }
template <typename T> static inline T atomicMin(T *p, T x) { T old = *p; if (x < old) *p = x; return old; }
template <typename T> static inline T atomicExch(T *p, T x) { T old = *p; *p = x; return old; }
template <typename T> static inline T atomicCAS(T *p, T seen, T x) { T old = *p; if (old == seen) *p = x; return old; }

typedef int cudaError_t;
typedef void *cudaStream_t;
typedef void *cudaEvent_t;
enum { cudaSuccess = 0, cudaErrorMemoryAllocation = 2 };
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};

template <typename T> static inline cudaError_t cudaMalloc(T **p, size_t n) {
    *p = (T *)malloc(n);
    return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}
template <typename T> static inline cudaError_t cudaMallocManaged(T **p, size_t n) { return cudaMalloc(p, n); }
template <typename T> static inline cudaError_t cudaMallocHost(T **p, size_t n) { return cudaMalloc(p, n); }
static inline cudaError_t cudaFree(void *p) { free(p); return cudaSuccess; }
static inline cudaError_t cudaFreeHost(void *p) { free(p); return cudaSuccess; }
static inline cudaError_t cudaMemset(void *p, int c, size_t n) { memset(p, c, n); return cudaSuccess; }
static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t n, cudaMemcpyKind) {
    memcpy(to, from, n);
    return cudaSuccess;
}
extern "C" {
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaSetDevice(int);
cudaError_t cudaGetLastError(void);
const char *cudaGetErrorString(cudaError_t);
}

#endif
