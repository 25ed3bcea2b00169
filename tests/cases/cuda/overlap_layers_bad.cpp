#include <cuda_runtime.h>
#include <cudnn.h>

int main() {
    cudnnHandle_t h;
    cudnnTensorDescriptor_t t, half;
    cudnnPoolingDescriptor_t pool;
    cudnnActivationDescriptor_t relu;
    float one = 1, zero = 0, x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, *d;
    cudaMalloc((void **)&d, sizeof x);
    cudaMemcpy(d, x, sizeof x, cudaMemcpyHostToDevice);
    cudnnCreate(&h);
    cudnnCreateTensorDescriptor(&t);
    cudnnSetTensor4dDescriptor(t, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 2, 2);
    cudnnCreateTensorDescriptor(&half);
    cudnnSetTensor4dDescriptor(half, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 1, 2);
    cudnnCreatePoolingDescriptor(&pool);
    cudnnSetPooling2dDescriptor(pool, CUDNN_POOLING_MAX, CUDNN_NOT_PROPAGATE_NAN, 2, 1, 0, 0, 2, 1);
    cudnnCreateActivationDescriptor(&relu);
    cudnnSetActivationDescriptor(relu, CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0);
    cudnnPoolingForward(h, pool, &one, t, d, &zero, half, d + 2);    // expect: assertion unsafe
    cudnnPoolingForward(h, pool, &one, t, d, &zero, half, d + 4);
    cudnnActivationForward(h, relu, &one, t, d, &zero, t, d);        // in place, as cuDNN allows
    cudnnActivationForward(h, relu, &one, t, d, &zero, t, d + 1);    // expect: assertion unsafe
    cudaFree(d);
    return 0;
}
