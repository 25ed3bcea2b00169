/* Two linear networks as one batch, by strides and by pointers, and the mean of what they say.

   defect 1: assertion: cublasSgemmStridedBatched: A is no memory of the device
   defect 2: assertion: cublasSgemmBatched: Aarray is no memory of the device
   defect 3: assertion: cublasSgeam: ldb is less than
   defect 4: assertion: mean[i] */
#include <assert.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include "check.h"

int main() {
    const float weights[8] = {1, 0, 0, 1, 0, 1, 1, 0}, one = 1, zero = 0, half = 0.5f; /* identity, exchange */
    float in[2] = {between(-1, 1), between(-1, 1)}, mean[2], other[4];
    float *w, *x, *y, *z, *m;
    cublasHandle_t handle;
    CALL(cublasCreate(&handle));
    CALL(cudaMalloc(&w, sizeof weights));
    CALL(cudaMalloc(&x, sizeof in));
    CALL(cudaMalloc(&y, 4 * sizeof(float)));
    CALL(cudaMalloc(&z, 4 * sizeof(float)));
    CALL(cudaMalloc(&m, sizeof mean));
    CALL(cudaMemcpy(w, weights, sizeof weights, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(x, in, sizeof in, cudaMemcpyHostToDevice));
    CALL(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 1, 2, &one, w, 2, DEFECT == 1 ? 5 : 4, x, 2, 0,
                                   &zero, y, 2, 2, 2));
    const float *as[2] = {w, w + 4}, *bs[2] = {x, x};
    float *cs[2] = {z, z + 2};
    void *pa, *pb, *pc;
    CALL(cudaMalloc(&pa, sizeof as));
    CALL(cudaMalloc(&pb, sizeof bs));
    CALL(cudaMalloc(&pc, sizeof cs));
    CALL(cudaMemcpy(pa, as, sizeof as, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(pb, bs, sizeof bs, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(pc, cs, sizeof cs, cudaMemcpyHostToDevice));
    CALL(cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 1, 2, &one, DEFECT == 2 ? as : (const float **)pa, 2,
                            (const float **)pb, 2, &zero, (float **)pc, 2, 2));
    CALL(cudaMemcpy(other, z, sizeof other, cudaMemcpyDeviceToHost));
    assert(other[0] == in[0] && other[3] == in[0]);
    CALL(cublasSgeam(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 1, &half, y, 2, DEFECT == 4 ? &one : &half, y + 2,
                     DEFECT == 3 ? 1 : 2, m, 2));
    CALL(cudaMemcpy(mean, m, sizeof mean, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 2; i++) assert(mean[i] >= -1 && mean[i] <= 1);
    cudaFree(w), cudaFree(x), cudaFree(y), cudaFree(z), cudaFree(m), cudaFree(pa), cudaFree(pb), cudaFree(pc);
    cublasDestroy(handle);
}
