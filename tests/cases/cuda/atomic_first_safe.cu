#include <cuda_runtime.h>

/* One block sets what its threads count on. */
__global__ void count(int *n) {
    if (threadIdx.x == 0 && blockIdx.x == 0) *n = 0;
    __syncthreads();
    atomicAdd(n, 1);
}

int main() {
    int *d;
    cudaMalloc(&d, 4);
    count<<<1, 4>>>(d);
    cudaFree(d);
}
