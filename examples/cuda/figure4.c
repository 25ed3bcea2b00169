/* The network of figure 4 of Sena et al. 2021b, f = ReLU(2x - 3y) + ReLU(x + 4y), through cuBLAS.

   defect 1: assertion: cublasSgemm: lda is less than
   defect 2: assertion: cudaMemcpy: src is no memory of count bytes
   defect 3: assertion: f >= 2.7f
   defect 4: assertion: cublasSgemm: B is no memory of the device */
#include <assert.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include "check.h"

int main(void) {
    const float first[4] = {2, 1, -3, 4}, second[2] = {1, 1}, one = 1, zero = 0; /* by columns */
    float input[2] = {between(0.749f, 0.75f), between(0.498f, 0.499f)}, hidden[2], f;
    float *weights, *sums, *x, *h, *out;
    cublasHandle_t handle;
    CALL(cublasCreate(&handle));
    CALL(cudaMalloc((void **)&weights, sizeof first));
    CALL(cudaMalloc((void **)&sums, sizeof second));
    CALL(cudaMalloc((void **)&x, sizeof input));
    CALL(cudaMalloc((void **)&h, sizeof hidden));
    CALL(cudaMalloc((void **)&out, sizeof f));
    CALL(cudaMemcpy(weights, first, sizeof first, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(sums, second, sizeof second, cudaMemcpyHostToDevice));
#if DEFECT == 2
    CALL(cudaMemcpy(x, input, sizeof input, cudaMemcpyDeviceToDevice));
#elif DEFECT != 3
    CALL(cudaMemcpy(x, input, sizeof input, cudaMemcpyHostToDevice));
#else
    input[1] = 0.4f;
    CALL(cudaMemcpy(x, input, sizeof input, cudaMemcpyHostToDevice));
#endif
    CALL(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 1, 2, &one, weights, DEFECT == 1 ? 1 : 2, x, 2, &zero, h, 2));
    CALL(cudaMemcpy(hidden, h, sizeof hidden, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 2; i++) hidden[i] = hidden[i] < 0 ? 0 : hidden[i];
    CALL(cudaMemcpy(h, hidden, sizeof hidden, cudaMemcpyHostToDevice));
    CALL(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 2, &one, sums, 1, DEFECT == 4 ? hidden : h, 2, &zero, out, 1));
    CALL(cudaMemcpy(&f, out, sizeof f, cudaMemcpyDeviceToHost));
    assert(f >= 2.7f);
    cudaFree(weights), cudaFree(sums), cudaFree(x), cudaFree(h), cudaFree(out);
    cublasDestroy(handle);
    return 0;
}
