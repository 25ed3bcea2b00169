#include <cublas_v2.h>
#include <cuda_runtime.h>

__global__ void count(int *sum) {
    atomicAdd(sum, 1); // expect: uninitialised cond-unsafe
}

__global__ void cached(const float *x, float *y) {
    *y = __ldg(x); // expect: uninitialised cond-unsafe
}

int main() {
    cublasHandle_t h;
    float one = 1, x[2] = {1, 2}, r, *a, *b, *c;
    int *sum;
    cudaMalloc(&a, sizeof x);
    cudaMalloc(&b, sizeof x);
    cudaMalloc(&c, sizeof x);
    cudaMalloc(&sum, sizeof *sum);
    cudaMemcpy(a, x, sizeof x, cudaMemcpyHostToDevice);
    cublasCreate(&h);
    cublasSdot(h, 2, a, 1, b, 1, &r); // expect: uninitialised unsafe
    cublasSgemv(h, CUBLAS_OP_N, 1, 1, &one, a, 1, a, 1, &one, c, 1); // expect: uninitialised cond-unsafe
    count<<<1, 2>>>(sum);
    cached<<<1, 1>>>(b + 1, a);
    cublasDestroy(h);
    cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(sum);
}
