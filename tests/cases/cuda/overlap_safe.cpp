// Results beside what they are made of: behind it, in columns between, or element by element in its place.
#include <assert.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>

int main() {
    cublasHandle_t h;
    float one = 1, zero = 0, x[8] = {1, 2, 0, 0, 3, 4, 0, 0}, *d;
    cudaMalloc((void **)&d, sizeof x);
    cudaMemcpy(d, x, sizeof x, cudaMemcpyHostToDevice);
    cublasCreate(&h);
    cublasSgemv(h, CUBLAS_OP_N, 1, 2, &one, d, 4, d + 1, 4, &zero, d + 6, 1); // 1 * 2 + 3 * 4
    cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 1, 2, 1, &one, d, 4, d + 1, 4, &zero, d + 3, 4); // 1 * (2, 4)
    cublasSaxpy(h, 8, &one, d, 1, d, 1);
    cudaMemcpy(x, d, sizeof x, cudaMemcpyDeviceToHost);
    assert(x[6] == 28 && x[3] == 4 && x[7] == 8 && x[0] == 2);
    cublasDestroy(h);
    cudaFree(d);
    return 0;
}
