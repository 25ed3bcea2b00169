/* A perceptron 2-3-2: matrix-vector products by cuBLAS, ReLU by a kernel. The second output is never above the
   first, but for rounding.

   defect 1: assertion: cublasSgemv: x is no memory of the device
   defect 2: pointer: is accessed through a null, freed or out-of-bounds pointer
   defect 3: assertion: cublasSgemv: handle was not created
   defect 4: assertion: out[0] >= out[1] */
#include <assert.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include "check.h"

__global__ void relu(int n, float *x) {
    int i = threadIdx.x;
    if (DEFECT == 2 || i < n) x[i] = x[i] < 0 ? 0 : x[i];
}

int main() {
    const float w1[6] = {1, -1, 0.5f, 1, 1, -0.5f}, w2[6] = {1, DEFECT == 4 ? 1.5f : 0.5f, 1, 0.5f, 1, 1};
    const float one = 1, zero = 0;
    float in[2] = {between(-1, 1), between(-1, 1)}, out[2], *dw1, *dw2, *x, *h, *y;
    cublasHandle_t handle = 0;
    if (DEFECT != 3) CALL(cublasCreate(&handle));
    CALL(cudaMalloc(&dw1, sizeof w1));
    CALL(cudaMalloc(&dw2, sizeof w2));
    CALL(cudaMalloc(&x, DEFECT == 1 ? sizeof(float) : sizeof in));
    CALL(cudaMalloc(&h, 3 * sizeof(float)));
    CALL(cudaMalloc(&y, sizeof out));
    CALL(cudaMemcpy(dw1, w1, sizeof w1, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(dw2, w2, sizeof w2, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(x, in, DEFECT == 1 ? sizeof(float) : sizeof in, cudaMemcpyHostToDevice));
    CALL(cublasSgemv(handle, CUBLAS_OP_N, 3, 2, &one, dw1, 3, x, 1, &zero, h, 1));
    relu<<<1, 4>>>(3, h);
    CALL(cudaGetLastError());
    CALL(cublasSgemv(handle, CUBLAS_OP_N, 2, 3, &one, dw2, 2, h, 1, &zero, y, 1));
    CALL(cudaMemcpy(out, y, sizeof out, cudaMemcpyDeviceToHost));
    assert(out[0] >= out[1] - 0.001f);
    cudaFree(dw1), cudaFree(dw2), cudaFree(x), cudaFree(h), cudaFree(y);
    cublasDestroy(handle);
}
