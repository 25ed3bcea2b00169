#include <cuda_runtime.h>

int main() {
    int h = 1, *d;
    cudaMalloc(&d, sizeof *d);
    cudaMemcpy(&h, &h, sizeof h, cudaMemcpyDeviceToHost); // expect: assertion unsafe
    cudaMemcpy(d, &h, sizeof h, cudaMemcpyHostToDevice);
    cudaFree(d);
    cudaFree(d); // expect: assertion unsafe
    return *d;   // expect: pointer unsafe
}
