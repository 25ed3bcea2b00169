/* Probabilities of three classes by cudnnSoftmaxForward.

   defect 1: assertion: cudnnSoftmaxForward: handle was not created
   defect 2: assertion: cudnnSoftmaxForward: x is no memory of the device
   defect 3: assertion: cudnnSoftmaxForward: alpha points to no number of the host
   defect 4: assertion: out[i] */
#include <assert.h>
#include <cuda_runtime.h>
#include <cudnn.h>

#include "check.h"

int main() {
    const float one = 1, zero = 0;
    float in[3] = {between(0, 1), 0.5f, 0}, out[3], *x, *y, *factor;
    cudnnHandle_t dnn;
    cudnnTensorDescriptor_t classes;
    CALL(cudnnCreate(&dnn));
    CALL(cudnnCreateTensorDescriptor(&classes));
    CALL(cudnnSetTensor4dDescriptor(classes, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 3, 1, 1));
    CALL(cudaMalloc(&x, sizeof in));
    CALL(cudaMalloc(&y, sizeof out));
    CALL(cudaMalloc(&factor, sizeof one));
    CALL(cudaMemcpy(x, in, sizeof in, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(factor, &one, sizeof one, cudaMemcpyHostToDevice));
    if (DEFECT == 1) CALL(cudnnDestroy(dnn));
    CALL(cudnnSoftmaxForward(dnn, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_CHANNEL, DEFECT == 3 ? factor : &one, classes,
                             DEFECT == 2 ? in : x, &zero, classes, y));
    CALL(cudaMemcpy(out, y, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 3; i++) assert(out[i] >= 0 && out[i] <= (DEFECT == 4 ? 0.3f : 1.001f));
    cudaFree(x), cudaFree(y), cudaFree(factor);
    cudnnDestroyTensorDescriptor(classes);
    if (DEFECT != 1) cudnnDestroy(dnn);
}
