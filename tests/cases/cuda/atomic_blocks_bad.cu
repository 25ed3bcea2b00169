#include <cuda_runtime.h>

/* A barrier is one of a block: the other block may still count. */
__global__ void count(int *n, int *out) {
    atomicAdd(n, 1);
    __syncthreads();
    if (threadIdx.x == 1 && blockIdx.x == 1) *out = *n; // expect: assertion unsafe
}

int main() {
    int *d, h = 0;
    cudaMalloc(&d, 8);
    cudaMemset(d, 0, 8);
    count<<<2, 2>>>(d, d + 1);
    cudaMemcpy(&h, d + 1, 4, cudaMemcpyDeviceToHost);
    cudaFree(d);
    return h;
}
