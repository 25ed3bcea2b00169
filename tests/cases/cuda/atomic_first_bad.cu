#include <cuda_runtime.h>

/* One block sets what the other counts on. */
__global__ void count(int *n) {
    if (threadIdx.x == 0 && blockIdx.x == 0) *n = 0;
    __syncthreads();
    atomicAdd(n, 1); // expect: assertion unsafe
}

int main() {
    int *d;
    cudaMalloc(&d, 4);
    count<<<2, 2>>>(d);
    cudaFree(d);
}
