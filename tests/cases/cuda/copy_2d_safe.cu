#include <cuda_runtime.h>

/* Two columns beside two others, and rows behind rows. */
int main() {
    float *d;
    cudaMalloc(&d, 64);
    cudaMemset(d, 0, 64);
    cudaMemcpy2D(d + 2, 16, d, 16, 8, 4, cudaMemcpyDeviceToDevice);
    cudaMemcpy2D(d + 8, 16, d, 16, 16, 2, cudaMemcpyDeviceToDevice);
    cudaFree(d);
}
