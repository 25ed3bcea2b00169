/* CUDA's runtime: memory of the device, copies, streams and events. Everything that is started has happened when the
   call returns: one of the orders that a stream allows, and the only one for the default stream. */
#include "device.h"
#include "../include/cuda/cuda_runtime_api.h"

struct CUstream_st { int alive; };
struct CUevent_st { int recorded; };

enum { BOTH = 64 };
static char *both[BOTH]; /* memory that host and device share: managed, or */
static _Bool pinned[BOTH]; /* of the host, which the device reaches at the same address */
static int both_count;
static cudaError_t last_error;

static cudaError_t noted(cudaError_t error) {
    if (error != cudaSuccess) last_error = error;
    return error;
}

/* Which of the shared ones `p` leads into, -1 for none. */
static int which(const void *p) {
    for (int i = 0; i < both_count; i++)
        if (both[i] && __vouch_together(p, both[i])) return i;
    return -1;
}

void *__vouch_cuda_here(const void *p) {
    if (!p) return 0;
    if (both_count && which(p) >= 0) return (void *)p;
    return (char *)p - AWAY;
}

/* The same for copies, whose direction says that memory is the device's own. */
static void *there(const void *p) {
    int found = p && both_count ? which(p) : -1;
    return found >= 0 && pinned[found] ? (char *)p - AWAY : __vouch_cuda_here(p);
}

_Bool __vouch_cuda_has(const void *p, size_t n) { return p && __vouch_valid(__vouch_cuda_here(p), n); }

/* Calls of other CUDA libraries leave their mark here as well, and so does a launch. */
void __vouch_cuda_failed(int error) { noted((cudaError_t)error); }

/* Memory that `free` is not made for. */
void *__vouch_cuda_malloc(size_t);
void __vouch_cuda_release(void *);

static cudaError_t allocated(void **p, size_t n, size_t away) {
    char *got;
    if (n == 0) {
        *p = 0;
        return cudaSuccess;
    }
    got = __vouch_cuda_malloc(n);
    if (!got) {
        *p = 0;
        return noted(cudaErrorMemoryAllocation);
    }
    *p = got + away;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **devPtr, size_t size) {
    REQUIRE(__vouch_valid(devPtr, sizeof(void *)), "cudaMalloc: devPtr points to no pointer", noted(cudaErrorInvalidValue));
    return allocated(devPtr, size, AWAY);
}

static cudaError_t shared_with(void **p, size_t n, _Bool of_host) {
    if (both_count == BOTH) __vouch_unsupported();
    cudaError_t error = allocated(p, n, 0);
    if (error == cudaSuccess && *p) {
        pinned[both_count] = of_host;
        both[both_count++] = *p;
    }
    return error;
}

cudaError_t cudaMallocHost(void **ptr, size_t size) {
    REQUIRE(__vouch_valid(ptr, sizeof(void *)), "cudaMallocHost: ptr points to no pointer", noted(cudaErrorInvalidValue));
    return shared_with(ptr, size, 1);
}

cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned flags) {
    REQUIRE(__vouch_valid(pHost, sizeof(void *)), "cudaHostAlloc: pHost points to no pointer", noted(cudaErrorInvalidValue));
    return shared_with(pHost, size, 1);
}

cudaError_t cudaMallocManaged(void **devPtr, size_t size, unsigned flags) {
    REQUIRE(__vouch_valid(devPtr, sizeof(void *)), "cudaMallocManaged: devPtr points to no pointer",
            noted(cudaErrorInvalidValue));
    return shared_with(devPtr, size, 0);
}

cudaError_t cudaFree(void *devPtr) {
    if (!devPtr) return cudaSuccess;
    int found = which(devPtr);
    if (found >= 0 && !pinned[found]) {
        REQUIRE(devPtr == both[found], "cudaFree: devPtr is no memory of the device that is still allocated",
                noted(cudaErrorInvalidValue));
        both[found] = 0;
        __vouch_cuda_release(devPtr);
        return cudaSuccess;
    }
    REQUIRE(__vouch_starts((char *)devPtr - AWAY), "cudaFree: devPtr is no memory of the device that is still allocated",
            noted(cudaErrorInvalidValue));
    __vouch_cuda_release((char *)devPtr - AWAY);
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void *ptr) {
    if (!ptr) return cudaSuccess;
    int found = which(ptr);
    REQUIRE(found >= 0 && pinned[found] && ptr == both[found],
            "cudaFreeHost: ptr is no memory from cudaMallocHost that is still allocated", noted(cudaErrorInvalidValue));
    both[found] = 0;
    __vouch_cuda_release(ptr);
    return cudaSuccess;
}

/* Pointers that may be of either side are followed to where they lead. */
static const void *anywhere(const void *p, size_t n) { return __vouch_valid(p, n) ? p : __vouch_cuda_here(p); }

/* Whether n bytes at one place and n at the other have none in common. */
static _Bool beside(const char *a, const char *b, size_t n) {
    if (!__vouch_together(a, b)) return 1;
    const long long between = b - a;
    return between >= (long long)n || -between >= (long long)n;
}

#define COPY(name, dst, src, count, kind)                                                                              \
    do {                                                                                                               \
        REQUIRE((kind) >= cudaMemcpyHostToHost && (kind) <= cudaMemcpyDefault, name ": kind is no direction",           \
                noted(cudaErrorInvalidMemcpyDirection));                                                               \
        if ((count) == 0) return cudaSuccess;                                                                          \
        if ((kind) == cudaMemcpyDefault) {                                                                             \
            to = (void *)anywhere(dst, count), from = anywhere(src, count);                                            \
        } else {                                                                                                       \
            to = (kind) == cudaMemcpyHostToDevice || (kind) == cudaMemcpyDeviceToDevice ? there(dst) : dst; \
            from = (kind) == cudaMemcpyDeviceToHost || (kind) == cudaMemcpyDeviceToDevice ? there(src)                 \
                                                                                          : src;                       \
        }                                                                                                              \
        REQUIRE(__vouch_valid(to, count), name ": dst is no memory of count bytes on the side that kind says",         \
                noted(cudaErrorInvalidValue));                                                                         \
        REQUIRE(__vouch_valid(from, count), name ": src is no memory of count bytes on the side that kind says",       \
                noted(cudaErrorInvalidValue));                                                                         \
        REQUIRE(beside(to, from, count), name ": dst overlaps src",                                                    \
                noted(cudaErrorInvalidValue));                                                                         \
        memcpy(to, from, count);                                                                                       \
    } while (0)

cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind) {
    void *to;
    const void *from;
    COPY("cudaMemcpy", dst, src, count, kind);
    return cudaSuccess;
}

static _Bool live_stream(cudaStream_t stream) {
    return stream == 0 || stream == cudaStreamLegacy || stream == cudaStreamPerThread ||
           (__vouch_valid(stream, sizeof *stream) && stream->alive);
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream) {
    void *to;
    const void *from;
    REQUIRE(live_stream(stream), "cudaMemcpyAsync: stream was not created", noted(cudaErrorInvalidResourceHandle));
    COPY("cudaMemcpyAsync", dst, src, count, kind);
    return cudaSuccess;
}

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind) {
    void *to;
    const void *from;
    REQUIRE(width <= dpitch, "cudaMemcpy2D: dpitch is less than width", noted(cudaErrorInvalidPitchValue));
    REQUIRE(width <= spitch, "cudaMemcpy2D: spitch is less than width", noted(cudaErrorInvalidPitchValue));
    if (width > 0 && height > 0) {
        const struct region here = {anywhere(dst, width), width, height, dpitch};
        const struct region other = {anywhere(src, width), width, height, spitch};
        REQUIRE(apart(here, other, 1), "cudaMemcpy2D: dst overlaps src", noted(cudaErrorInvalidValue));
    }
    for (size_t row = 0; row < height; row++)
        COPY("cudaMemcpy2D", (char *)dst + row * dpitch, (const char *)src + row * spitch, width, kind);
    return cudaSuccess;
}

cudaError_t cudaMemset(void *devPtr, int value, size_t count) {
    if (count == 0) return cudaSuccess;
    REQUIRE(__vouch_cuda_has(devPtr, count), "cudaMemset: devPtr is no memory of the device of count bytes",
            noted(cudaErrorInvalidValue));
    memset(__vouch_cuda_here(devPtr), value, count);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream) {
    REQUIRE(live_stream(stream), "cudaMemsetAsync: stream was not created", noted(cudaErrorInvalidResourceHandle));
    if (count == 0) return cudaSuccess;
    REQUIRE(__vouch_cuda_has(devPtr, count), "cudaMemsetAsync: devPtr is no memory of the device of count bytes",
            noted(cudaErrorInvalidValue));
    memset(__vouch_cuda_here(devPtr), value, count);
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
    *total = __vouch_nondet_size_t();
    *free = __vouch_nondet_size_t();
    __vouch_assume(*free <= *total);
    return cudaSuccess;
}

/* Variables of the device have their own object, which host code reaches through these only. */
cudaError_t __vouch_cuda_to_symbol(void *symbol, size_t size, const void *src, size_t count, size_t offset,
                                   enum cudaMemcpyKind kind) {
    REQUIRE(offset <= size && count <= size - offset, "cudaMemcpyToSymbol: count and offset do not fit symbol",
            noted(cudaErrorInvalidValue));
    REQUIRE(kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault,
            "cudaMemcpyToSymbol: kind is not towards the device", noted(cudaErrorInvalidMemcpyDirection));
    if (kind == cudaMemcpyDeviceToDevice) src = __vouch_cuda_here(src);
    REQUIRE(__vouch_valid(src, count), "cudaMemcpyToSymbol: src is no memory of count bytes on the side that kind says",
            noted(cudaErrorInvalidValue));
    memcpy((char *)symbol + offset, src, count);
    return cudaSuccess;
}

cudaError_t __vouch_cuda_from_symbol(void *dst, const void *symbol, size_t size, size_t count, size_t offset,
                                     enum cudaMemcpyKind kind) {
    REQUIRE(offset <= size && count <= size - offset, "cudaMemcpyFromSymbol: count and offset do not fit symbol",
            noted(cudaErrorInvalidValue));
    REQUIRE(kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault,
            "cudaMemcpyFromSymbol: kind is not from the device", noted(cudaErrorInvalidMemcpyDirection));
    if (kind == cudaMemcpyDeviceToDevice) dst = __vouch_cuda_here(dst);
    REQUIRE(__vouch_valid(dst, count), "cudaMemcpyFromSymbol: dst is no memory of count bytes on the side that kind says",
            noted(cudaErrorInvalidValue));
    memcpy(dst, (const char *)symbol + offset, count);
    return cudaSuccess;
}

cudaError_t __vouch_cuda_symbol_address(void **devPtr, void *symbol) {
    *devPtr = (char *)symbol + AWAY;
    return cudaSuccess;
}

/* Waiting tells of what went wrong while a kernel ran, not of a launch that was refused: that is the last error. */
cudaError_t cudaDeviceSynchronize(void) { return cudaSuccess; }
cudaError_t cudaDeviceReset(void) { return cudaSuccess; }
cudaError_t cudaSetDevice(int device) {
    REQUIRE(device >= 0, "cudaSetDevice: device is negative", noted(cudaErrorInvalidDevice));
    return cudaSuccess;
}
cudaError_t cudaGetDevice(int *device) {
    *device = 0;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int *count) {
    *count = __vouch_nondet_int();
    __vouch_assume(*count >= 1 && *count <= 1024);
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device) {
    __vouch_havoc(prop, sizeof *prop);
    prop->name[sizeof prop->name - 1] = 0;
    prop->warpSize = 32;
    prop->maxThreadsPerBlock = 1024;
    return cudaSuccess;
}
cudaError_t cudaGetLastError(void) {
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}
cudaError_t cudaPeekAtLastError(void) { return last_error; }
const char *cudaGetErrorString(cudaError_t error) { return error == cudaSuccess ? "no error" : "error"; }
const char *cudaGetErrorName(cudaError_t error) { return error == cudaSuccess ? "cudaSuccess" : "cudaError"; }

static cudaError_t new_stream(cudaStream_t *stream) {
    *stream = malloc(sizeof **stream);
    if (!*stream) return noted(cudaErrorMemoryAllocation);
    (*stream)->alive = 1;
    return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t *pStream) { return new_stream(pStream); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned flags) { return new_stream(pStream); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    REQUIRE(stream && live_stream(stream), "cudaStreamDestroy: stream was not created",
            noted(cudaErrorInvalidResourceHandle));
    free(stream);
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    REQUIRE(live_stream(stream), "cudaStreamSynchronize: stream was not created", noted(cudaErrorInvalidResourceHandle));
    return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
    REQUIRE(live_stream(stream), "cudaStreamQuery: stream was not created", noted(cudaErrorInvalidResourceHandle));
    return __vouch_nondet_bool() ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    REQUIRE(live_stream(stream), "cudaStreamWaitEvent: stream was not created", noted(cudaErrorInvalidResourceHandle));
    REQUIRE(__vouch_valid(event, sizeof *event), "cudaStreamWaitEvent: event was not created",
            noted(cudaErrorInvalidResourceHandle));
    return cudaSuccess;
}

static cudaError_t new_event(cudaEvent_t *event) {
    *event = malloc(sizeof **event);
    if (!*event) return noted(cudaErrorMemoryAllocation);
    (*event)->recorded = 0;
    return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t *event) { return new_event(event); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) { return new_event(event); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    REQUIRE(__vouch_valid(event, sizeof *event), "cudaEventDestroy: event was not created",
            noted(cudaErrorInvalidResourceHandle));
    free(event);
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    REQUIRE(__vouch_valid(event, sizeof *event), "cudaEventRecord: event was not created",
            noted(cudaErrorInvalidResourceHandle));
    REQUIRE(live_stream(stream), "cudaEventRecord: stream was not created", noted(cudaErrorInvalidResourceHandle));
    event->recorded = 1;
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    REQUIRE(__vouch_valid(event, sizeof *event), "cudaEventSynchronize: event was not created",
            noted(cudaErrorInvalidResourceHandle));
    return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
    REQUIRE(__vouch_valid(event, sizeof *event), "cudaEventQuery: event was not created",
            noted(cudaErrorInvalidResourceHandle));
    return __vouch_nondet_bool() ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
    REQUIRE(__vouch_valid(start, sizeof *start) && start->recorded, "cudaEventElapsedTime: start was not recorded",
            noted(cudaErrorInvalidResourceHandle));
    REQUIRE(__vouch_valid(end, sizeof *end) && end->recorded, "cudaEventElapsedTime: end was not recorded",
            noted(cudaErrorInvalidResourceHandle));
    *ms = __vouch_nondet_float();
    __vouch_assume(*ms >= 0);
    return cudaSuccess;
}
