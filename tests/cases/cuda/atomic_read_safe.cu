#include <assert.h>
#include <cuda_runtime.h>

__global__ void count(int *n, int *out) {
    atomicAdd(n, 1);
    __syncthreads();
    if (threadIdx.x == 3) *out = *n;
}

int main() {
    int *d, h = 0;
    cudaMalloc(&d, 8);
    cudaMemset(d, 0, 8);
    count<<<1, 4>>>(d, d + 1);
    cudaMemcpy(&h, d + 1, 4, cudaMemcpyDeviceToHost);
    cudaFree(d);
    assert(h == 4);
    return h;
}
