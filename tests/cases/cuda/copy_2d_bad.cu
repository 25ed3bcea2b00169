#include <cuda_runtime.h>

/* The second row of the source is the first of what is written. */
int main() {
    float *d;
    cudaMalloc(&d, 64);
    cudaMemset(d, 0, 64);
    cudaMemcpy2D(d + 2, 8, d, 8, 8, 2, cudaMemcpyDeviceToDevice); // expect: assertion unsafe
    cudaFree(d);
}
