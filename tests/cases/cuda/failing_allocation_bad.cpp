// options: --malloc-may-fail
#include <cuda_runtime.h>

int main() {
    int h = 1, *d;
    cudaMalloc(&d, sizeof h); // its status is not looked at
    cudaMemcpy(d, &h, sizeof h, cudaMemcpyHostToDevice); // expect: assertion unsafe
    cudaFree(d);
}
