#include <assert.h>
#include <cuda_runtime.h>

__global__ void total(const float *x, float *y) {
    __shared__ float s[4];
    int i = threadIdx.x;
    s[i] = x[i];
    __syncthreads();
    for (int d = 2; d > 0; d /= 2) {
        if (i < d) s[i] += s[i + d];
        __syncthreads();
    }
    if (i == 0) *y = s[0];
}

int main() {
    float h[4] = {1, 2, 3, 4}, r, *d, *e;
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&e, sizeof r);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    total<<<1, 4>>>(d, e);
    cudaMemcpy(&r, e, sizeof r, cudaMemcpyDeviceToHost);
    assert(r == 10);
    cudaFree(d);
    cudaFree(e);
}
