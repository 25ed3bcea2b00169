#include <cuda_runtime.h>

/* Threads of a block wait at different places. */
__global__ void k(int *y) {
    __shared__ int s;
    if (threadIdx.x == 0) {
        s = 1;
        __syncthreads();
    } else {
        __syncthreads();
        y[threadIdx.x] = s;
    }
}

int main() {
    int *d;
    cudaMalloc(&d, 8);
    k<<<1, 2>>>(d); // expect: assertion unsafe
    cudaFree(d);
}
