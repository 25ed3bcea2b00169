/* Covering methods as in section 5 of Sena et al. 2021b: two inputs of the network of figure 4, through cuBLAS, cover
   less than half of its neurons. METHOD is 1 for SS, 2 for DS, 3 for SV, 4 for DV; the second input is any within 2 of
   the first, (2, 2).

   defect 1: assertion: share < 50
   defect 2: assertion: cublasSgemm: ldc is less than
   defect 3: assertion: cublasSgemm: C is no memory of the device */
#include <assert.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include "check.h"

#ifndef METHOD
#define METHOD (DEFECT == 1 ? 3 : 1)
#endif

/* Of the two potentials of a neuron. */
static int sign_change(const float *u) { return (u[0] >= 0) != (u[1] >= 0); }
static int value_change(const float *u) { return !sign_change(u); } /* any ratio is at least one, in one order */

/* Potentials by columns, one for each input: the sums of two hidden neurons, and the output. */
static int covered(const float *hidden, const float *output) {
    const float first[2] = {hidden[0], hidden[2]}, second[2] = {hidden[1], hidden[3]};
    const int changes = sign_change(first) + sign_change(second);
    const float a = first[0] - first[1], b = second[0] - second[1];
    const int distance = changes == 0 && a * a + b * b > 0.01f;
    const int decision = METHOD <= 2 ? sign_change(output) : value_change(output);
    if (METHOD % 2 == 1) return changes == 1 && decision ? 2 : 0; /* the condition and the decision */
    return distance && decision ? 1 : 0;
}

int main(void) {
    const float weights[4] = {2, 1, -3, 4}, sums[2] = {1, 1}, one = 1, zero = 0; /* by columns */
    const float inputs[4] = {2, 2, between(0, 4), between(0, 4)};
    float hidden[4], active[4], output[2];
    float *w, *s, *x, *h, *y;
    cublasHandle_t handle;
    CALL(cublasCreate(&handle));
    CALL(cudaMalloc((void **)&w, sizeof weights));
    CALL(cudaMalloc((void **)&s, sizeof sums));
    CALL(cudaMalloc((void **)&x, sizeof inputs));
    CALL(cudaMalloc((void **)&h, sizeof hidden / (DEFECT == 3 ? 2 : 1)));
    CALL(cudaMalloc((void **)&y, sizeof output));
    CALL(cudaMemcpy(w, weights, sizeof weights, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(s, sums, sizeof sums, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(x, inputs, sizeof inputs, cudaMemcpyHostToDevice));
    CALL(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, w, 2, x, 2, &zero, h, DEFECT == 2 ? 1 : 2));
    CALL(cudaMemcpy(hidden, h, sizeof hidden, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++) active[i] = hidden[i] < 0 ? 0 : hidden[i];
    CALL(cudaMemcpy(h, active, sizeof active, cudaMemcpyHostToDevice));
    CALL(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 2, 2, &one, s, 1, h, 2, &zero, y, 1));
    CALL(cudaMemcpy(output, y, sizeof output, cudaMemcpyDeviceToHost));
    const int share = 100 * covered(hidden, output) / 3;
    assert(share < 50);
    cudaFree(w), cudaFree(s), cudaFree(x), cudaFree(h), cudaFree(y);
    cublasDestroy(handle);
    return 0;
}
