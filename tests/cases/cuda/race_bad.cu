#include <cuda_runtime.h>

__global__ void last(int *y) {
    *y = threadIdx.x; // expect: assertion unsafe
}

int main() {
    int *d;
    cudaMalloc(&d, sizeof *d);
    last<<<2, 1>>>(d);
    cudaFree(d);
}
