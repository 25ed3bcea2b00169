/* An input scaled to length one and shifted, by the vector functions of cuBLAS, with results on the device.

   defect 1: assertion: cublasSscal: alpha points to no number on the side of the pointer mode
   defect 2: assertion: cublasSaxpy: x is no memory of the device
   defect 3: assertion: best ==
   defect 4: assertion: cublasSger: incx is zero */
#include <assert.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include "check.h"

int main(void) {
    const float v[3] = {2, 4, 4}, shift[6] = {1, 0, 2, 0, 3, 0}, minus = -1, half = 0.5f;
    float norm, sum, dot, result[3], outer[9];
    float *x, *y, *d_norm, *a;
    int best;
    cublasHandle_t handle;
    CALL(cublasCreate(&handle));
    CALL(cudaMalloc((void **)&x, sizeof v));
    CALL(cudaMalloc((void **)&y, sizeof shift));
    CALL(cudaMalloc((void **)&d_norm, sizeof norm));
    CALL(cudaMalloc((void **)&a, sizeof outer));
    CALL(cublasSetVector(3, sizeof(float), v, 1, x, 1));
    CALL(cudaMemcpy(y, shift, sizeof shift, cudaMemcpyHostToDevice));
    CALL(cudaMemset(a, 0, sizeof outer));
    CALL(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
    CALL(cublasSnrm2(handle, 3, x, 1, d_norm));
    if (DEFECT != 1) CALL(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
    CALL(cudaMemcpy(&norm, d_norm, sizeof norm, cudaMemcpyDeviceToHost));
    assert(norm == 6);
    CALL(cublasSscal(handle, 3, &half, x, 1));                           /* 1, 2, 2 */
    CALL(cublasSasum(handle, 3, x, 1, &sum));
    CALL(cublasSdot(handle, 3, x, 1, y, 2, &dot));
    assert(sum == 5 && dot == 11);
    CALL(cublasSger(handle, 3, 3, &half, x, DEFECT == 4 ? 0 : 1, y, 2, a, 3));
    CALL(cublasSaxpy(handle, 3, &minus, DEFECT == 2 ? v : y, 2, x, 1)); /* 0, 0, -1 */
    CALL(cublasIsamax(handle, 3, x, 1, &best));
    assert(best == (DEFECT == 3 ? 2 : 3));
    CALL(cublasScopy(handle, 3, x, 1, y, -1));
    CALL(cublasGetVector(3, sizeof(float), y, 1, result, 1));
    CALL(cublasGetMatrix(3, 3, sizeof(float), a, 3, outer, 3));
    assert(result[0] == -1 && outer[5] == 2);
    cudaFree(x), cudaFree(y), cudaFree(d_norm), cudaFree(a);
    cublasDestroy(handle);
    return 0;
}
