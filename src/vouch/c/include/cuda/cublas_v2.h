#ifndef VOUCH_CUBLAS_V2_H
#define VOUCH_CUBLAS_V2_H

/* cuBLAS, version 2 of its interface. Its functions are models (`models/cublas.c`). */
#include <cuda_runtime_api.h>

#define CUBLAS_VERSION 120000
#define CUBLASAPI
#define CUBLASWINAPI

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15
} cublasStatus_t;

typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 } cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_DEFAULT_MATH = 0, CUBLAS_TENSOR_OP_MATH = 1, CUBLAS_PEDANTIC_MATH = 2 } cublasMath_t;
typedef struct cublasContext *cublasHandle_t;

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) VOUCH_NOTHROW;
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) VOUCH_NOTHROW;
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version) VOUCH_NOTHROW;
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t streamId) VOUCH_NOTHROW;
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *streamId) VOUCH_NOTHROW;
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) VOUCH_NOTHROW;
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode) VOUCH_NOTHROW;
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) VOUCH_NOTHROW;
const char *cublasGetStatusString(cublasStatus_t status) VOUCH_NOTHROW;
cublasStatus_t cublasSetVector(int n, int elemSize, const void *x, int incx, void *y, int incy) VOUCH_NOTHROW;
cublasStatus_t cublasGetVector(int n, int elemSize, const void *x, int incx, void *y, int incy) VOUCH_NOTHROW;
cublasStatus_t cublasSetMatrix(int rows, int cols, int elemSize, const void *A, int lda, void *B, int ldb) VOUCH_NOTHROW;
cublasStatus_t cublasGetMatrix(int rows, int cols, int elemSize, const void *A, int lda, void *B, int ldb) VOUCH_NOTHROW;

#define VOUCH_BLAS(L, l, T)                                                                                       \
    cublasStatus_t cublas##L##axpy_v2(cublasHandle_t handle, int n, const T *alpha, const T *x, int incx, T *y,   \
                                      int incy) VOUCH_NOTHROW;                                                    \
    cublasStatus_t cublas##L##scal_v2(cublasHandle_t handle, int n, const T *alpha, T *x, int incx) VOUCH_NOTHROW; \
    cublasStatus_t cublas##L##copy_v2(cublasHandle_t handle, int n, const T *x, int incx, T *y, int incy) VOUCH_NOTHROW; \
    cublasStatus_t cublas##L##swap_v2(cublasHandle_t handle, int n, T *x, int incx, T *y, int incy) VOUCH_NOTHROW; \
    cublasStatus_t cublas##L##dot_v2(cublasHandle_t handle, int n, const T *x, int incx, const T *y, int incy,    \
                                     T *result) VOUCH_NOTHROW;                                                    \
    cublasStatus_t cublas##L##nrm2_v2(cublasHandle_t handle, int n, const T *x, int incx, T *result) VOUCH_NOTHROW; \
    cublasStatus_t cublas##L##asum_v2(cublasHandle_t handle, int n, const T *x, int incx, T *result) VOUCH_NOTHROW; \
    cublasStatus_t cublasI##l##amax_v2(cublasHandle_t handle, int n, const T *x, int incx, int *result) VOUCH_NOTHROW; \
    cublasStatus_t cublasI##l##amin_v2(cublasHandle_t handle, int n, const T *x, int incx, int *result) VOUCH_NOTHROW; \
    cublasStatus_t cublas##L##ger_v2(cublasHandle_t handle, int m, int n, const T *alpha, const T *x, int incx,   \
                                     const T *y, int incy, T *A, int lda) VOUCH_NOTHROW;                          \
    cublasStatus_t cublas##L##gemv_v2(cublasHandle_t handle, cublasOperation_t trans, int m, int n,               \
                                      const T *alpha, const T *A, int lda, const T *x, int incx, const T *beta,   \
                                      T *y, int incy) VOUCH_NOTHROW;                                              \
    cublasStatus_t cublas##L##gemm_v2(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,  \
                                      int m, int n, int k, const T *alpha, const T *A, int lda, const T *B,       \
                                      int ldb, const T *beta, T *C, int ldc) VOUCH_NOTHROW;                       \
    cublasStatus_t cublas##L##gemmBatched(cublasHandle_t handle, cublasOperation_t transa,                        \
                                          cublasOperation_t transb, int m, int n, int k, const T *alpha,          \
                                          const T *const Aarray[], int lda, const T *const Barray[], int ldb,     \
                                          const T *beta, T *const Carray[], int ldc, int batchCount) VOUCH_NOTHROW; \
    cublasStatus_t cublas##L##gemmStridedBatched(                                                                 \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,           \
        const T *alpha, const T *A, int lda, long long strideA, const T *B, int ldb, long long strideB,           \
        const T *beta, T *C, int ldc, long long strideC, int batchCount) VOUCH_NOTHROW;                           \
    cublasStatus_t cublas##L##geam(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,     \
                                   int m, int n, const T *alpha, const T *A, int lda, const T *beta, const T *B,  \
                                   int ldb, T *C, int ldc) VOUCH_NOTHROW;

VOUCH_BLAS(S, s, float)
VOUCH_BLAS(D, d, double)

#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasGetVersion cublasGetVersion_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasSaxpy cublasSaxpy_v2
#define cublasDaxpy cublasDaxpy_v2
#define cublasSscal cublasSscal_v2
#define cublasDscal cublasDscal_v2
#define cublasScopy cublasScopy_v2
#define cublasDcopy cublasDcopy_v2
#define cublasSswap cublasSswap_v2
#define cublasDswap cublasDswap_v2
#define cublasSdot cublasSdot_v2
#define cublasDdot cublasDdot_v2
#define cublasSnrm2 cublasSnrm2_v2
#define cublasDnrm2 cublasDnrm2_v2
#define cublasSasum cublasSasum_v2
#define cublasDasum cublasDasum_v2
#define cublasIsamax cublasIsamax_v2
#define cublasIdamax cublasIdamax_v2
#define cublasIsamin cublasIsamin_v2
#define cublasIdamin cublasIdamin_v2
#define cublasSger cublasSger_v2
#define cublasDger cublasDger_v2
#define cublasSgemv cublasSgemv_v2
#define cublasDgemv cublasDgemv_v2
#define cublasSgemm cublasSgemm_v2
#define cublasDgemm cublasDgemm_v2

#ifdef __cplusplus
}
#endif

#endif
