/* A layer of four neurons, one thread for each, in two blocks; then one thread adds them up.

   defect 1: assertion: data race
   defect 2: bounds|pointer: 
   defect 3: assertion: kernel launch: a dimension of the grid is zero
   defect 4: assertion: cudaMemcpy: dst is no memory of count bytes */
#include <assert.h>
#include <cuda_runtime.h>

#include "check.h"

#define INPUTS 3
#define NEURONS 4

__constant__ float bias[NEURONS];

__global__ void layer(const float *w, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = bias[i];
    for (int j = 0; j < INPUTS; j++) sum += w[i * INPUTS + j] * x[j];
    y[DEFECT == 1 ? i / 2 : i] = sum < 0 ? 0 : sum;
}

__global__ void total(const float *y, float *out) {
    float sum = 0;
    for (int i = 0; i < (DEFECT == 2 ? NEURONS + 1 : NEURONS); i++) sum += y[i];
    *out = sum;
}

int main() {
    float w[NEURONS * INPUTS] = {1, -1, 0, 0.5f, 0.5f, 0.5f, -1, 1, 0, 0, 0, 1}, b[NEURONS] = {0, 0.25f, 0, -0.5f};
    float x[INPUTS] = {between(0, 1), between(0, 1), between(0, 1)}, out, *dw, *dx, *dy, *dout;
    int blocks = DEFECT == 3 ? NEURONS / 8 : NEURONS / 2;
    CALL(cudaMalloc(&dw, sizeof w));
    CALL(cudaMalloc(&dx, DEFECT == 4 ? 2 * sizeof(float) : sizeof x));
    CALL(cudaMalloc(&dy, NEURONS * sizeof(float)));
    CALL(cudaMalloc(&dout, sizeof out));
    CALL(cudaMemcpyToSymbol(bias, b, sizeof b));
    CALL(cudaMemcpy(dw, w, sizeof w, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    layer<<<blocks, 2>>>(dw, dx, dy);
    CALL(cudaGetLastError());
    total<<<1, 1>>>(dy, dout);
    CALL(cudaDeviceSynchronize());
    CALL(cudaMemcpy(&out, dout, sizeof out, cudaMemcpyDeviceToHost));
    assert(out >= 0 && out <= 5);
    cudaFree(dw), cudaFree(dx), cudaFree(dy), cudaFree(dout);
}
