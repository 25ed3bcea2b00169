#include <cuda_runtime.h>
#include <stdlib.h>

__global__ void number(int *y) { y[threadIdx.x] = threadIdx.x; } // expect: pointer unsafe

int main() {
    int *h, *plain = (int *)malloc(8);
    if (!plain) return 1;
    cudaMallocHost(&h, 8);
    cudaFree(h);         // expect: assertion unsafe
    cudaFreeHost(plain); // expect: assertion unsafe
    number<<<1, 2>>>(plain);
    cudaFreeHost(h);
    free(plain);
}
