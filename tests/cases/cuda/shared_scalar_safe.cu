#include <assert.h>
#include <cuda_runtime.h>

__global__ void k(volatile int *y) {
    __shared__ int s;
    if (threadIdx.x == 0) s = 1;
    __syncthreads();
    y[threadIdx.x] = s;
}

int main() {
    int *d, h[2];
    cudaMalloc(&d, 8);
    k<<<1, 2>>>(d);
    cudaMemcpy(h, d, 8, cudaMemcpyDeviceToHost);
    assert(h[1] == 1);
    cudaFree(d);
}
