/* A small convolutional network: 4 × 4 inputs, two filters of 3 × 3, ReLU, the largest of each 2 × 2, one neuron.

   defect 1: assertion: cudnnConvolutionForward: workSpaceSizeInBytes is less than the query says
   defect 2: assertion: cudnnGetConvolutionForwardWorkspaceSize: yDesc is not the shape that the convolution has
   defect 3: assertion: cudnnPoolingForward: y is no memory of the device
   defect 4: assertion: score >= */
#include <assert.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cudnn.h>

#include "check.h"

int main() {
    const float filters[18] = {0, 0, 0, 0, 1, 0, 0, 0, 0, 0, -1, 0, -1, 4, -1, 0, -1, 0}, neuron[2] = {1, 0.25f};
    const float one = 1, zero = 0;
    float image[16], score, *x, *w, *y, *p, *v, *out;
    void *space = 0;
    size_t needed;
    int n, c, h, wide;
    cublasHandle_t blas;
    cudnnHandle_t dnn;
    cudnnTensorDescriptor_t input, convolved, pooled;
    cudnnFilterDescriptor_t filter;
    cudnnConvolutionDescriptor_t convolution;
    cudnnPoolingDescriptor_t pooling;
    cudnnActivationDescriptor_t relu;
    const cudnnConvolutionFwdAlgo_t how = CUDNN_CONVOLUTION_FWD_ALGO_GEMM;
    for (int i = 0; i < 16; i++) image[i] = i == 5 || i == 10 ? between(0.5f, 1) : i % 3 * 0.125f;
    CALL(cublasCreate(&blas));
    CALL(cudnnCreate(&dnn));
    CALL(cudnnCreateTensorDescriptor(&input));
    CALL(cudnnCreateTensorDescriptor(&convolved));
    CALL(cudnnCreateTensorDescriptor(&pooled));
    CALL(cudnnCreateFilterDescriptor(&filter));
    CALL(cudnnCreateConvolutionDescriptor(&convolution));
    CALL(cudnnCreatePoolingDescriptor(&pooling));
    CALL(cudnnCreateActivationDescriptor(&relu));
    CALL(cudnnSetTensor4dDescriptor(input, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 4, 4));
    CALL(cudnnSetFilter4dDescriptor(filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 2, 1, 3, 3));
    CALL(cudnnSetConvolution2dDescriptor(convolution, 0, 0, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    CALL(cudnnGetConvolution2dForwardOutputDim(convolution, input, filter, &n, &c, &h, &wide));
    assert(n == 1 && c == 2 && h == 2 && wide == 2);
    CALL(cudnnSetTensor4dDescriptor(convolved, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, n, c, h, DEFECT == 2 ? wide + 1 : wide));
    CALL(cudnnSetPooling2dDescriptor(pooling, CUDNN_POOLING_MAX, CUDNN_PROPAGATE_NAN, 2, 2, 0, 0, 2, 2));
    CALL(cudnnSetTensor4dDescriptor(pooled, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 2, 1, 1));
    CALL(cudnnSetActivationDescriptor(relu, CUDNN_ACTIVATION_RELU, CUDNN_PROPAGATE_NAN, 0));
    CALL(cudnnGetConvolutionForwardWorkspaceSize(dnn, input, filter, convolution, convolved, how, &needed));
    if (needed) CALL(cudaMalloc(&space, needed));
    CALL(cudaMalloc(&x, sizeof image));
    CALL(cudaMalloc(&w, sizeof filters));
    CALL(cudaMalloc(&y, 8 * sizeof(float)));
    CALL(cudaMalloc(&p, (DEFECT == 3 ? 1 : 2) * sizeof(float)));
    CALL(cudaMalloc(&v, sizeof neuron));
    CALL(cudaMalloc(&out, sizeof score));
    CALL(cudaMemcpy(x, image, sizeof image, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(w, filters, sizeof filters, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(v, neuron, sizeof neuron, cudaMemcpyHostToDevice));
    CALL(cudnnConvolutionForward(dnn, &one, input, x, filter, w, convolution, how, space, DEFECT == 1 ? 0 : needed, &zero,
                                 convolved, y));
    CALL(cudnnActivationForward(dnn, relu, &one, convolved, y, &zero, convolved, y));
    CALL(cudnnPoolingForward(dnn, pooling, &one, convolved, y, &zero, pooled, p));
    CALL(cublasSgemv(blas, CUBLAS_OP_N, 1, 2, &one, v, 1, p, 1, &zero, out, 1));
    CALL(cudaMemcpy(&score, out, sizeof score, cudaMemcpyDeviceToHost));
    assert(score >= (DEFECT == 4 ? 1.5f : 0.5f) && score <= 2.5f);
    cudaFree(space), cudaFree(x), cudaFree(w), cudaFree(y), cudaFree(p), cudaFree(v), cudaFree(out);
    cudnnDestroyActivationDescriptor(relu), cudnnDestroyPoolingDescriptor(pooling);
    cudnnDestroyConvolutionDescriptor(convolution), cudnnDestroyFilterDescriptor(filter);
    cudnnDestroyTensorDescriptor(input), cudnnDestroyTensorDescriptor(convolved), cudnnDestroyTensorDescriptor(pooled);
    cudnnDestroy(dnn);
    cublasDestroy(blas);
}
