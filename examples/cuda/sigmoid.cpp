/* Two sigmoid neurons: cublasSgemv, a bias by cudnnAddTensor, cudnnActivationForward.

   defect 1: assertion: cudnnActivationForward: activationDesc was not set
   defect 2: assertion: cudnnAddTensor: a dimension of aDesc is neither one nor that of cDesc
   defect 3: assertion: cudnnActivationForward: yDesc has another shape or type than xDesc
   defect 4: assertion: out[i] */
#include <assert.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cudnn.h>

#include "check.h"

int main() {
    const float weights[4] = {1, -1, 0.5f, 2}, offsets[2] = {0.25f, -0.5f}, one = 1, zero = 0;
    float in[2] = {between(-1, 1), between(-1, 1)}, out[2], *w, *b, *x, *y;
    cublasHandle_t blas;
    cudnnHandle_t dnn;
    cudnnTensorDescriptor_t layer, bias, result;
    cudnnActivationDescriptor_t sigmoid;
    CALL(cublasCreate(&blas));
    CALL(cudnnCreate(&dnn));
    CALL(cudnnCreateTensorDescriptor(&layer));
    CALL(cudnnCreateTensorDescriptor(&bias));
    CALL(cudnnCreateTensorDescriptor(&result));
    CALL(cudnnCreateActivationDescriptor(&sigmoid));
    CALL(cudnnSetTensor4dDescriptor(layer, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 2, 1, 1));
    CALL(cudnnSetTensor4dDescriptor(bias, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, DEFECT == 2 ? 3 : 2, 1, 1));
    CALL(cudnnSetTensor4dDescriptor(result, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, DEFECT == 3 ? 2 : 1, 1));
    if (DEFECT != 1) CALL(cudnnSetActivationDescriptor(sigmoid, CUDNN_ACTIVATION_SIGMOID, CUDNN_PROPAGATE_NAN, 0));
    CALL(cudaMalloc(&w, sizeof weights));
    CALL(cudaMalloc(&b, sizeof offsets));
    CALL(cudaMalloc(&x, sizeof in));
    CALL(cudaMalloc(&y, sizeof out));
    CALL(cudaMemcpy(w, weights, sizeof weights, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(b, offsets, sizeof offsets, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(x, in, sizeof in, cudaMemcpyHostToDevice));
    CALL(cublasSgemv(blas, CUBLAS_OP_N, 2, 2, &one, w, 2, x, 1, &zero, y, 1));
    CALL(cudnnAddTensor(dnn, &one, bias, b, &one, layer, y));
    CALL(cudnnActivationForward(dnn, sigmoid, &one, layer, y, &zero, DEFECT == 3 ? result : layer, y));
    CALL(cudaMemcpy(out, y, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 2; i++) assert(out[i] >= 0 && out[i] <= (DEFECT == 4 ? 0.5f : 1));
    cudaFree(w), cudaFree(b), cudaFree(x), cudaFree(y);
    cudnnDestroyActivationDescriptor(sigmoid);
    cudnnDestroyTensorDescriptor(layer), cudnnDestroyTensorDescriptor(bias), cudnnDestroyTensorDescriptor(result);
    cudnnDestroy(dnn);
    cublasDestroy(blas);
}
