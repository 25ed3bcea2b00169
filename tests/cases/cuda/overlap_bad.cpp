#include <cublas_v2.h>
#include <cuda_runtime.h>

int main() {
    cublasHandle_t h;
    float one = 1, zero = 0, x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, *d;
    cudaMalloc((void **)&d, sizeof x);
    cudaMemcpy(d, x, sizeof x, cudaMemcpyHostToDevice);
    cublasCreate(&h);
    cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, d, 2, d, 2, &zero, d, 2);        // expect: assertion unsafe
    cublasSgemv(h, CUBLAS_OP_N, 2, 2, &one, d, 2, d + 4, 1, &zero, d + 5, 1);                // expect: assertion unsafe
    cublasScopy(h, 4, d, 1, d + 1, 1);                                                       // expect: assertion unsafe
    cublasSgemv(h, CUBLAS_OP_N, 2, 2, &one, d, 4, d + 2, 4, &zero, d + 1, 4);                // expect: assertion unsafe
    cudaFree(d);
    return 0;
}
