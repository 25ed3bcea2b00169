/* A product of two matrices of 4 × 4 by tiles of 2 × 2 in shared memory, in blocks of two dimensions.

   defect 1: assertion: data race
   defect 2: assertion: kernel launch: threads of a block wait at different __syncthreads
   defect 3: bounds: out of bounds
   defect 4: uninitialised: is read before it is written */
#include <assert.h>
#include <cuda_runtime.h>

#include "check.h"

#define N 4
#define TILE 2

__global__ void product(const float *a, const float *b, float *c) {
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < N / TILE; t++) {
        if (DEFECT != 4 || threadIdx.x == 0) left[threadIdx.y][threadIdx.x] = a[row * N + t * TILE + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(t * TILE + threadIdx.y) * N + column];
        if (DEFECT == 2 && threadIdx.x == 0) __syncthreads();
        else __syncthreads();
        for (int k = 0; k < TILE + (DEFECT == 3); k++) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
        if (DEFECT != 1) __syncthreads();
    }
    c[row * N + column] = sum;
}

int main() {
    float a[N * N], b[N * N], c[N * N], *da, *db, *dc;
    for (int i = 0; i < N * N; i++) a[i] = i % 5 == 0, b[i] = i; /* the first one is the identity */
    CALL(cudaMalloc(&da, sizeof a));
    CALL(cudaMalloc(&db, sizeof b));
    CALL(cudaMalloc(&dc, sizeof c));
    CALL(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
    dim3 grid(N / TILE, N / TILE), block(TILE, TILE);
    product<<<grid, block>>>(da, db, dc);
    CALL(cudaDeviceSynchronize());
    CALL(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N * N; i++) assert(c[i] == i);
    cudaFree(da), cudaFree(db), cudaFree(dc);
}
