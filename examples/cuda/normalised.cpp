/* A batch of two, normalised by channel: cudnnBatchNormalizationForwardInference, then ReLU that stops at six.

   defect 1: assertion: cudnnBatchNormalizationForwardInference: bnScaleBiasMeanVarDesc is not the shape
   defect 2: assertion: cudnnBatchNormalizationForwardInference: estimatedVariance is no memory of the device
   defect 3: assertion: cudnnSetTensor4dDescriptor: tensorDesc was not created
   defect 4: assertion: out[i] */
#include <assert.h>
#include <cuda_runtime.h>
#include <cudnn.h>

#include "check.h"

int main() {
    const float table[8] = {1, 0.5f, 0, 1, 0.5f, 0, 4, 1}, one = 1, zero = 0; /* scale, bias, mean, variance */
    float in[4] = {between(-1, 1), between(-1, 1), 0.25f, 3}, out[4], *x, *t;
    cudnnHandle_t dnn;
    cudnnTensorDescriptor_t data, derived;
    cudnnActivationDescriptor_t relu6;
    CALL(cudnnCreate(&dnn));
    CALL(cudnnCreateTensorDescriptor(&data));
    CALL(cudnnCreateTensorDescriptor(&derived));
    CALL(cudnnCreateActivationDescriptor(&relu6));
    if (DEFECT == 3) cudnnDestroyTensorDescriptor(data);
    CALL(cudnnSetTensor4dDescriptor(data, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, 2, 1, 1));
    if (DEFECT == 1) CALL(cudnnSetTensor4dDescriptor(derived, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, 2, 1, 1));
    else CALL(cudnnDeriveBNTensorDescriptor(derived, data, CUDNN_BATCHNORM_SPATIAL));
    CALL(cudnnSetActivationDescriptor(relu6, CUDNN_ACTIVATION_CLIPPED_RELU, CUDNN_PROPAGATE_NAN, 6));
    CALL(cudaMalloc(&x, sizeof in));
    CALL(cudaMalloc(&t, sizeof table));
    CALL(cudaMemcpy(x, in, sizeof in, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(t, table, sizeof table, cudaMemcpyHostToDevice));
    CALL(cudnnBatchNormalizationForwardInference(dnn, CUDNN_BATCHNORM_SPATIAL, &one, &zero, data, x, data, x, derived, t,
                                                 t + 2, t + 4, DEFECT == 2 ? t + 7 : t + 6, 1e-5));
    CALL(cudnnActivationForward(dnn, relu6, &one, data, x, &zero, data, x));
    CALL(cudaMemcpy(out, x, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++) assert(out[i] >= 0 && out[i] <= (DEFECT == 4 ? 1.25f : 3));
    cudaFree(x), cudaFree(t);
    cudnnDestroyActivationDescriptor(relu6);
    cudnnDestroyTensorDescriptor(data), cudnnDestroyTensorDescriptor(derived);
    cudnnDestroy(dnn);
}
