// What is not read need not be written: results, and what lies between the elements of a vector.
#include <assert.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>

__global__ void count(int *sum) { atomicAdd(sum, 1); }

int main() {
    cublasHandle_t h;
    float one = 1, zero = 0, x[1] = {3}, y, *a, *b;
    int *sum, n;
    cudaMalloc(&a, 3 * sizeof *a);
    cudaMalloc(&b, sizeof *b);
    cudaMalloc(&sum, sizeof *sum);
    cudaMemset(sum, 0, sizeof *sum);
    cudaMemcpy(a, x, sizeof x, cudaMemcpyHostToDevice);
    cudaMemcpy(a + 2, x, sizeof x, cudaMemcpyHostToDevice);
    cublasCreate(&h);
    cublasSgemv(h, CUBLAS_OP_N, 1, 2, &one, a, 2, a, 2, &zero, b, 1);
    count<<<1, 2>>>(sum);
    cudaMemcpy(&y, b, sizeof y, cudaMemcpyDeviceToHost);
    cudaMemcpy(&n, sum, sizeof n, cudaMemcpyDeviceToHost);
    assert(y == 18 && n == 2);
    cublasDestroy(h);
    cudaFree(a), cudaFree(b), cudaFree(sum);
}
