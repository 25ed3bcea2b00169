#include <cuda_runtime.h>

int main(void) {
    char *d;
    if (cudaMalloc(&d, 8) != cudaSuccess) return 1;
    if (cudaMemset(d, 0, 8) != cudaSuccess) return 1;
    if (cudaMemcpy(d + 4, d, 4, cudaMemcpyDeviceToDevice) != cudaSuccess) return 1;
    cudaFree(d);
    return 0;
}
