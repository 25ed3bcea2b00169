// What is no number gets through the largest of a window where its descriptor says so.
#include <assert.h>
#include <cudnn.h>
#include <cublas_v2.h>

float nondet_float(void);

int main(void)
{
    float image[4] = {1.0f, nondet_float(), 2.0f, 3.0f}, result = 0, one = 1, zero = 0;
    float *x, *y;
    cudnnHandle_t handle;
    cudnnTensorDescriptor_t from, to;
    cudnnPoolingDescriptor_t largest;
    cudaMalloc((void **)&x, sizeof image);
    cudaMalloc((void **)&y, sizeof result);
    cudaMemcpy(x, image, sizeof image, cudaMemcpyHostToDevice);
    cudnnCreate(&handle);
    cudnnCreateTensorDescriptor(&from);
    cudnnCreateTensorDescriptor(&to);
    cudnnSetTensor4dDescriptor(from, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 2, 2);
    cudnnSetTensor4dDescriptor(to, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 1, 1);
    cudnnCreatePoolingDescriptor(&largest);
    cudnnSetPooling2dDescriptor(largest, CUDNN_POOLING_MAX, CUDNN_PROPAGATE_NAN, 2, 2, 0, 0, 2, 2);
    cudnnPoolingForward(handle, largest, &one, from, x, &zero, to, y);
    cudaMemcpy(&result, y, sizeof result, cudaMemcpyDeviceToHost);
    assert(result >= 3.0f); // expect: assertion unsafe
    cudnnDestroyPoolingDescriptor(largest);
    cudnnDestroyTensorDescriptor(from);
    cudnnDestroyTensorDescriptor(to);
    cudnnDestroy(handle);
    cudaFree(x);
    cudaFree(y);
    return 0;
}
