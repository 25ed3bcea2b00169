#include <assert.h>
#include <cuda_runtime.h>

__device__ int w[2] = {1, 2};
__host__ __device__ int twice(int i) { return 2 * i; }
__host__ __device__ int weight(int i) { return w[i]; }
__global__ void k(int *y) { *y = twice(weight(1)); }

/* Only the device runs what names its variables. */
int main() {
    int *d, h = 0;
    cudaMalloc(&d, 4);
    k<<<1, 1>>>(d);
    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    assert(h == twice(2));
    cudaFree(d);
}
