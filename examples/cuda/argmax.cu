/* Scores by a kernel, the largest by a reduction in dynamic shared memory, and how many are positive by atomicAdd.

   defect 1: pointer: is accessed through a null, freed or out-of-bounds pointer
   defect 2: assertion: data race
   defect 3: assertion: scores[best] >= scores[i]
   defect 4: assertion: cudaFree: devPtr is no memory of the device */
#include <assert.h>
#include <cuda_runtime.h>

#include "check.h"

#define CLASSES 4

__device__ float score(const float *w, float x, int i) { return w[i] * x + w[CLASSES + i]; }

__global__ void scored(const float *w, float x, float *y, int *positive) {
    int i = threadIdx.x;
    y[i] = score(w, x, i);
    if (y[i] > 0) DEFECT == 2 ? (*positive)++ : atomicAdd(positive, 1);
}

__global__ void largest(const float *y, int *best) {
    extern __shared__ int at[];
    int i = threadIdx.x;
    at[i] = i;
    __syncthreads();
    for (int half = CLASSES / 2; half > 0; half /= 2) {
        if (i < half && (DEFECT == 3 ? y[at[i + half]] < y[at[i]] : y[at[i + half]] > y[at[i]])) at[i] = at[i + half];
        __syncthreads();
    }
    if (i == 0) *best = at[0];
}

int main() {
    float w[2 * CLASSES] = {1, -1, 0.5f, 0, 0, 0.25f, -0.5f, 0.125f}, scores[CLASSES], *dw, *dy;
    int best, positive, *dbest, *dpositive;
    float x = between(-2, 2);
    CALL(cudaMalloc(&dw, sizeof w));
    CALL(cudaMalloc(&dy, sizeof scores));
    CALL(cudaMalloc(&dbest, sizeof best));
    CALL(cudaMalloc(&dpositive, sizeof positive));
    CALL(cudaMemset(dpositive, 0, sizeof positive));
    CALL(cudaMemcpy(dw, w, sizeof w, cudaMemcpyHostToDevice));
    scored<<<1, CLASSES>>>(dw, x, dy, dpositive);
    largest<<<1, CLASSES, DEFECT == 1 ? sizeof(int) : CLASSES * sizeof(int)>>>(dy, dbest);
    CALL(cudaDeviceSynchronize());
    CALL(cudaMemcpy(scores, dy, sizeof scores, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(&best, dbest, sizeof best, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(&positive, dpositive, sizeof positive, cudaMemcpyDeviceToHost));
    for (int i = 0; i < CLASSES; i++) assert(scores[best] >= scores[i]);
    assert(positive >= 0 && positive <= CLASSES);
    cudaFree(dw), cudaFree(dy), cudaFree(dbest), cudaFree(dpositive);
    if (DEFECT == 4) cudaFree(dw);
}
