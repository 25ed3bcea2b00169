/* cuBLAS, version 2 of its interface: handles, and the functions of `blas.h` for float and double. */
#include "device.h"
#include "../include/cuda/cublas_v2.h"

struct cublasContext {
    int alive;
    cublasPointerMode_t mode;
    cudaStream_t stream;
};

static _Bool live(cublasHandle_t handle) { return __vouch_valid(handle, sizeof *handle) && handle->alive; }

/* Whether p points to a number on the side where the handle says that such numbers are. */
static _Bool scalar_has(cublasHandle_t handle, const void *p, size_t n) {
    return handle->mode == CUBLAS_POINTER_MODE_DEVICE ? __vouch_cuda_has(p, n) : __vouch_valid(p, n);
}

static size_t matrix_extent(int rows, int columns, int ld, size_t size) {
    return rows <= 0 || columns <= 0 ? 0 : ((size_t)(columns - 1) * (size_t)ld + (size_t)rows) * size;
}

static struct region vector(const void *p, long long n, long long inc) {
    inc = inc < 0 ? -inc : inc;
    return inc == 1 ? region(p, n, 1, n) : region(p, 1, n, inc < 1 ? 1 : inc);
}

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
    REQUIRE(__vouch_valid(handle, sizeof *handle), "cublasCreate: handle points to no handle",
            CUBLAS_STATUS_NOT_INITIALIZED);
    *handle = malloc(sizeof **handle);
    if (!*handle) return CUBLAS_STATUS_ALLOC_FAILED;
    (*handle)->alive = 1;
    (*handle)->mode = CUBLAS_POINTER_MODE_HOST;
    (*handle)->stream = 0;
    return CUBLAS_STATUS_SUCCESS;
}

#define HANDLE(f) REQUIRE(live(handle), "cublas" #f ": handle was not created", CUBLAS_STATUS_NOT_INITIALIZED)

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
    HANDLE(Destroy);
    free(handle);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version) {
    HANDLE(GetVersion);
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t streamId) {
    HANDLE(SetStream);
    handle->stream = streamId;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *streamId) {
    HANDLE(GetStream);
    *streamId = handle->stream;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
    HANDLE(SetPointerMode);
    REQUIRE(mode == CUBLAS_POINTER_MODE_HOST || mode == CUBLAS_POINTER_MODE_DEVICE,
            "cublasSetPointerMode: mode is no pointer mode", CUBLAS_STATUS_INVALID_VALUE);
    handle->mode = mode;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode) {
    HANDLE(GetPointerMode);
    *mode = handle->mode;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
    HANDLE(SetMathMode);
    if (mode != CUBLAS_DEFAULT_MATH && mode != CUBLAS_PEDANTIC_MATH) __vouch_unsupported();
    return CUBLAS_STATUS_SUCCESS;
}

const char *cublasGetStatusString(cublasStatus_t status) {
    return status == CUBLAS_STATUS_SUCCESS ? "the operation completed successfully" : "error";
}

#undef HANDLE

/* Copies between host and device, element by element or column by column. */
#define SIZES(f)                                                                                        \
    REQUIRE(elemSize > 0, "cublas" #f ": elemSize is not positive", CUBLAS_STATUS_INVALID_VALUE)

#define MOVE_VECTOR(f, from_there, to_there)                                                            \
    cublasStatus_t cublas##f(int n, int elemSize, const void *x, int incx, void *y, int incy) {         \
        SIZES(f);                                                                                       \
        REQUIRE(incx > 0, "cublas" #f ": incx is not positive", CUBLAS_STATUS_INVALID_VALUE);           \
        REQUIRE(incy > 0, "cublas" #f ": incy is not positive", CUBLAS_STATUS_INVALID_VALUE);           \
        if (n <= 0) return CUBLAS_STATUS_SUCCESS;                                                       \
        const char *from = from_there ? __vouch_cuda_here(x) : x;                                       \
        char *to = to_there ? __vouch_cuda_here(y) : y;                                                 \
        size_t size = (size_t)elemSize;                                                                 \
        REQUIRE(__vouch_valid(from, extent(n, incx, size)),                                             \
                "cublas" #f ": x is no memory of its side of the size that n and incx say", CUBLAS_STATUS_MAPPING_ERROR); \
        REQUIRE(__vouch_valid(to, extent(n, incy, size)),                                               \
                "cublas" #f ": y is no memory of its side of the size that n and incy say", CUBLAS_STATUS_MAPPING_ERROR); \
        for (int i = 0; i < n; i++) memcpy(to + (size_t)i * (size_t)incy * size, from + (size_t)i * (size_t)incx * size, size); \
        return CUBLAS_STATUS_SUCCESS;                                                                   \
    }
MOVE_VECTOR(SetVector, 0, 1)
MOVE_VECTOR(GetVector, 1, 0)

#define MOVE_MATRIX(f, from_there, to_there)                                                            \
    cublasStatus_t cublas##f(int rows, int cols, int elemSize, const void *A, int lda, void *B, int ldb) { \
        SIZES(f);                                                                                       \
        REQUIRE(rows >= 0, "cublas" #f ": rows is negative", CUBLAS_STATUS_INVALID_VALUE);              \
        REQUIRE(cols >= 0, "cublas" #f ": cols is negative", CUBLAS_STATUS_INVALID_VALUE);              \
        REQUIRE(lda > 0 && lda >= rows, "cublas" #f ": lda is less than rows", CUBLAS_STATUS_INVALID_VALUE); \
        REQUIRE(ldb > 0 && ldb >= rows, "cublas" #f ": ldb is less than rows", CUBLAS_STATUS_INVALID_VALUE); \
        if (rows == 0 || cols == 0) return CUBLAS_STATUS_SUCCESS;                                       \
        const char *from = from_there ? __vouch_cuda_here(A) : A;                                       \
        char *to = to_there ? __vouch_cuda_here(B) : B;                                                 \
        size_t size = (size_t)elemSize;                                                                 \
        REQUIRE(__vouch_valid(from, matrix_extent(rows, cols, lda, size)),                              \
                "cublas" #f ": A is no memory of its side of the size that rows, cols and lda say", CUBLAS_STATUS_MAPPING_ERROR); \
        REQUIRE(__vouch_valid(to, matrix_extent(rows, cols, ldb, size)),                                \
                "cublas" #f ": B is no memory of its side of the size that rows, cols and ldb say", CUBLAS_STATUS_MAPPING_ERROR); \
        for (int j = 0; j < cols; j++)                                                                  \
            memcpy(to + (size_t)j * (size_t)ldb * size, from + (size_t)j * (size_t)lda * size, (size_t)rows * size); \
        return CUBLAS_STATUS_SUCCESS;                                                                   \
    }
MOVE_MATRIX(SetMatrix, 0, 1)
MOVE_MATRIX(GetMatrix, 1, 0)

#define T float
#define LETTER S
#define LOWER s
#define LARGEST __FLT_MAX__
#define LEAST_SQUARES 1e-30f
#include "blas.h"
#undef T
#undef LETTER
#undef LOWER
#undef LARGEST
#undef LEAST_SQUARES
#define T double
#define LETTER D
#define LOWER d
#define LARGEST __DBL_MAX__
#define LEAST_SQUARES 1e-290
#include "blas.h"
