/* A layer in a stream, timed by events: pinned memory of the host, asynchronous copies, memory that both sides share.

   defect 1: assertion: cudaMemcpyAsync: stream was not created
   defect 2: assertion: cudaEventElapsedTime: end was not recorded
   defect 3: assertion: cudaMemcpyAsync: src is no memory of count bytes
   defect 4: pointer: through a null, freed or out-of-bounds pointer */
#include <assert.h>
#include <cuda_runtime.h>

#include "check.h"

template <typename T> __global__ void scaled(const T *x, T factor, T *y) { y[threadIdx.x] = factor * x[threadIdx.x]; }

int main() {
    float *in, *x, *y, ms;
    cudaStream_t stream;
    cudaEvent_t start, end;
    CALL(cudaStreamCreate(&stream));
    CALL(cudaEventCreate(&start));
    CALL(cudaEventCreate(&end));
    CALL(cudaMallocHost(&in, 2 * sizeof(float)));
    CALL(cudaMalloc(&x, 2 * sizeof(float)));
    CALL(cudaMallocManaged(&y, 2 * sizeof(float)));
    in[0] = between(-1, 1), in[1] = between(-1, 1);
    if (DEFECT == 1) CALL(cudaStreamDestroy(stream));
    CALL(cudaEventRecord(start, DEFECT == 1 ? 0 : stream));
    CALL(cudaMemcpyAsync(x, DEFECT == 3 ? x : in, 2 * sizeof(float), cudaMemcpyHostToDevice, stream));
    scaled<float><<<1, 2, 0, stream>>>(x, 2.0f, y);
    if (DEFECT != 2) CALL(cudaEventRecord(end, stream));
    CALL(cudaStreamSynchronize(stream));
    CALL(cudaEventElapsedTime(&ms, start, end));
    if (DEFECT == 4) cudaFree(y);
    assert(y[0] == 2 * in[0] && y[1] >= -2 && ms >= 0);
    cudaFreeHost(in), cudaFree(x);
    if (DEFECT != 4) cudaFree(y);
    cudaEventDestroy(start), cudaEventDestroy(end);
    cudaStreamDestroy(stream);
}
