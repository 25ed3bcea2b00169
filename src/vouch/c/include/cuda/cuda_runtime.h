#ifndef VOUCH_CUDA_RUNTIME_H
#define VOUCH_CUDA_RUNTIME_H

/* CUDA C++ read as C++. Kernel launches `k<<<grid, block>>>(…)` are rewritten by the front end to
   `__vouch_launch(k, grid, block)(…)`, which runs the threads one after the other (`models/kernel.c`). Functions marked
   VOUCH_HEADER are models: what goes wrong in them is reported where they are called. */
#include <cuda_runtime_api.h>

#ifdef __cplusplus

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VOUCH_HEADER __attribute__((section("vouch_header")))

#define __global__ __attribute__((section("vouch_kernel")))
/* What code of the host may not name (`vouch.c.device_names`). */
#define __device__ __attribute__((annotate("vouch_device")))
#define __host__ __attribute__((annotate("vouch_host")))
#define __constant__ __attribute__((annotate("vouch_device")))
#define __managed__ __attribute__((annotate("vouch_managed")))
#define __grid_constant__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

struct uint3 { unsigned x, y, z; };
struct dim3 {
    unsigned x, y, z;
    VOUCH_HEADER dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
    VOUCH_HEADER dim3(const uint3 &u) : x(u.x), y(u.y), z(u.z) {}
};
struct int2 { int x, y; };
struct int3 { int x, y, z; };
struct int4 { int x, y, z, w; };
struct uint2 { unsigned x, y; };
struct uint4 { unsigned x, y, z, w; };
struct float2 { float x, y; };
struct float3 { float x, y, z; };
struct float4 { float x, y, z, w; };
struct double2 { double x, y; };
VOUCH_HEADER static inline float2 make_float2(float x, float y) { return float2{x, y}; }
VOUCH_HEADER static inline float3 make_float3(float x, float y, float z) { return float3{x, y, z}; }
VOUCH_HEADER static inline float4 make_float4(float x, float y, float z, float w) { return float4{x, y, z, w}; }

inline uint3 threadIdx, blockIdx, blockDim, gridDim;
static const int warpSize = 32;

extern "C" {
cudaError_t __vouch_cuda_to_symbol(void *, size_t, const void *, size_t, size_t, cudaMemcpyKind) noexcept;
cudaError_t __vouch_cuda_from_symbol(void *, const void *, size_t, size_t, size_t, cudaMemcpyKind) noexcept;
cudaError_t __vouch_cuda_symbol_address(void **, void *) noexcept;
void *__vouch_cuda_here(const void *) noexcept;
bool __vouch_cuda_begin(const uint3 *, const uint3 *, size_t, uint3 *, uint3 *) noexcept;
int __vouch_cuda_next(void) noexcept;
bool __vouch_cuda_alone(void) noexcept;
void __vouch_cuda_access(const void *, size_t, int kind, int grain) noexcept;
void __vouch_unsupported(void) noexcept;
int __vouch_any_int(void) noexcept;
long long __vouch_any_llong(void) noexcept;
void __syncthreads(void) noexcept;
}

template <typename T> VOUCH_HEADER static inline cudaError_t cudaMalloc(T **p, size_t n) {
    return cudaMalloc((void **)p, n);
}
template <typename T> VOUCH_HEADER static inline cudaError_t cudaMallocHost(T **p, size_t n) {
    return cudaMallocHost((void **)p, n);
}
template <typename T>
VOUCH_HEADER static inline cudaError_t cudaMallocManaged(T **p, size_t n, unsigned flags = cudaMemAttachGlobal) {
    return cudaMallocManaged((void **)p, n, flags);
}
template <typename T>
VOUCH_HEADER static inline cudaError_t cudaHostAlloc(T **p, size_t n, unsigned flags = cudaHostAllocDefault) {
    return cudaHostAlloc((void **)p, n, flags);
}
template <typename T>
VOUCH_HEADER static inline cudaError_t cudaMemcpyToSymbol(T &symbol, const void *src, size_t count, size_t offset = 0,
                                                          cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return __vouch_cuda_to_symbol((void *)&symbol, sizeof(T), src, count, offset, kind);
}
template <typename T>
VOUCH_HEADER static inline cudaError_t cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t count, size_t offset = 0,
                                                            cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return __vouch_cuda_from_symbol(dst, (const void *)&symbol, sizeof(T), count, offset, kind);
}
template <typename T> VOUCH_HEADER static inline cudaError_t cudaGetSymbolAddress(void **p, T &symbol) {
    return __vouch_cuda_symbol_address(p, (void *)&symbol);
}

/* What a kernel gets for an argument of its launch. Pointers inside structs would not be found. */
template <typename T> VOUCH_HEADER static inline T *__vouch_argument(T *p) { return (T *)__vouch_cuda_here((const void *)p); }
template <typename T> VOUCH_HEADER static inline T __vouch_argument(T value) {
    if (__is_class(T) || __is_union(T)) __vouch_unsupported();
    return value;
}
#define VOUCH_PLAIN(T) VOUCH_HEADER static inline T __vouch_argument(T value) { return value; }
VOUCH_PLAIN(dim3) VOUCH_PLAIN(uint3) VOUCH_PLAIN(int2) VOUCH_PLAIN(int3) VOUCH_PLAIN(int4) VOUCH_PLAIN(uint2)
VOUCH_PLAIN(uint4) VOUCH_PLAIN(float2) VOUCH_PLAIN(float3) VOUCH_PLAIN(float4) VOUCH_PLAIN(double2)

template <typename... P> struct __vouch_launcher {
    void (*kernel)(P...);
    dim3 grid, block;
    size_t shared;
    VOUCH_HEADER void operator()(P... p) const {
        uint3 g = {grid.x, grid.y, grid.z}, b = {block.x, block.y, block.z};
        gridDim = g;
        blockDim = b;
        if (!__vouch_cuda_begin(&g, &b, shared, &threadIdx, &blockIdx)) return;
        do kernel(__vouch_argument(p)...);
        while (__vouch_cuda_next() != 0);
    }
};

template <typename... P>
VOUCH_HEADER static inline __vouch_launcher<P...> __vouch_launch(void (*kernel)(P...), dim3 grid, dim3 block,
                                                                 size_t shared = 0, cudaStream_t stream = 0) {
    return __vouch_launcher<P...>{kernel, grid, block, shared};
}

VOUCH_HEADER static inline void __threadfence() {}
VOUCH_HEADER static inline void __threadfence_block() {}
template <typename T> VOUCH_HEADER static inline T __ldg(const T *p) {
    __vouch_cuda_access(p, sizeof(T), 0, 0);
    return *p;
}
/* The C library has its own declarations of these names. */
#define __expf(x) expf(x)
#define __logf(x) logf(x)
#define __powf(x, y) powf(x, y)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
VOUCH_HEADER static inline float __fdividef(float x, float y) { return x / y; }
VOUCH_HEADER static inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
template <typename T> VOUCH_HEADER static inline T max(T a, T b) { return a < b ? b : a; }
template <typename T> VOUCH_HEADER static inline T min(T a, T b) { return b < a ? b : a; }

/* Whole numbers add up to the same in any order; what was there before is not known. Nothing is known of the order of the
   roundings of others. */
#define VOUCH_ADD(T, any)                                            \
    VOUCH_HEADER static inline T atomicAdd(T *p, T x) {              \
        __vouch_cuda_access(p, sizeof(T), 2, 0);                     \
        T old = *p;                                                  \
        *p = (T)((unsigned long long)old + (unsigned long long)x);   \
        return __vouch_cuda_alone() ? old : (T)any();                \
    }
VOUCH_ADD(int, __vouch_any_int)
VOUCH_ADD(unsigned, __vouch_any_int)
VOUCH_ADD(unsigned long long, __vouch_any_llong)
#undef VOUCH_ADD
template <typename T> VOUCH_HEADER static inline T atomicAdd(T *p, T x) {
    if (!__vouch_cuda_alone()) __vouch_unsupported();
    T old = *p;
    *p = old + x;
    return old;
}

#define VOUCH_ATOMIC(name, change)                                               \
    template <typename T> VOUCH_HEADER static inline T name(T *p, T x) {         \
        if (!__vouch_cuda_alone()) __vouch_unsupported();                        \
        T old = *p;                                                              \
        *p = change;                                                             \
        return old;                                                              \
    }
VOUCH_ATOMIC(atomicSub, old - x)
VOUCH_ATOMIC(atomicMax, old < x ? x : old)
VOUCH_ATOMIC(atomicMin, x < old ? x : old)
VOUCH_ATOMIC(atomicAnd, old & x)
VOUCH_ATOMIC(atomicOr, old | x)
VOUCH_ATOMIC(atomicXor, old ^ x)
VOUCH_ATOMIC(atomicExch, x)
template <typename T> VOUCH_HEADER static inline T atomicCAS(T *p, T seen, T x) {
    if (!__vouch_cuda_alone()) __vouch_unsupported();
    T old = *p;
    if (old == seen) *p = x;
    return old;
}

/* Warps are not modelled. */
#define VOUCH_WARP(name)                                                                \
    template <typename T, typename... More> VOUCH_HEADER static inline T name(unsigned, T value, More...) { \
        __vouch_unsupported();                                                          \
        return value;                                                                   \
    }
VOUCH_WARP(__shfl_sync)
VOUCH_WARP(__shfl_up_sync)
VOUCH_WARP(__shfl_down_sync)
VOUCH_WARP(__shfl_xor_sync)
VOUCH_WARP(__any_sync)
VOUCH_WARP(__all_sync)
VOUCH_WARP(__ballot_sync)
VOUCH_HEADER static inline void __syncwarp(unsigned = 0xffffffff) { __vouch_unsupported(); }
VOUCH_HEADER static inline unsigned __activemask() {
    __vouch_unsupported();
    return 0;
}
VOUCH_HEADER static inline int __syncthreads_count(int) {
    __vouch_unsupported();
    return 0;
}
VOUCH_HEADER static inline int __syncthreads_or(int) {
    __vouch_unsupported();
    return 0;
}
VOUCH_HEADER static inline int __syncthreads_and(int) {
    __vouch_unsupported();
    return 0;
}

#endif

#endif
