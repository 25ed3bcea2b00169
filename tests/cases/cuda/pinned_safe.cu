#include <assert.h>
#include <cuda_runtime.h>

__global__ void number(int *y) { y[threadIdx.x] = threadIdx.x; }

/* The device reaches pinned memory of the host. */
int main() {
    int *h;
    cudaMallocHost(&h, 8);
    number<<<1, 2>>>(h);
    cudaDeviceSynchronize();
    assert(h[1] == 1);
    cudaFreeHost(h);
}
