// options: --checks unchecked-status
#include <cublas_v2.h>
#include <cuda_runtime.h>

extern "C" int __VERIFIER_nondet_int();

__global__ void clear(float *x) { x[threadIdx.x] = 0; }

static cudaError_t room(float **p, int n) {
    cudaError_t error = cudaMalloc(p, n * sizeof **p); // handed on
    return error;
}
static void ignore(cublasStatus_t) {}

int main() {
    float h[2] = {1, 2}, *d, *e;
    const float two = 2;
    cublasHandle_t handle;
    cudaError_t error;
    room(&d, 2);                                                 // expect: unchecked-status unsafe
    error = cudaMalloc(&e, sizeof h);                            // expect: unchecked-status unsafe
    error = cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    if (error != cudaSuccess) return 1;
    cublasStatus_t status = cublasCreate(&handle);               // expect: unchecked-status unsafe
    (void)status;
    ignore(cublasSscal(handle, 2, &two, d, 1));                  // expect: unchecked-status unsafe
    bool fine = cublasScopy(handle, 2, d, 1, e, 1) == CUBLAS_STATUS_SUCCESS; // expect: unchecked-status unsafe
    clear<<<1, 2>>>(d);                                          // expect: unchecked-status unsafe
    cudaGetLastError();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;        // tells of no launch that was refused
    if (__VERIFIER_nondet_int() == 7)
        cudaMemset(d, 0, sizeof h);                              // expect: unchecked-status unsafe
    if (h[0] > h[1]) cudaMemset(d, 0, sizeof h);                 // expect: unchecked-status safe
    cudaFree(d), cudaFree(e), cublasDestroy(handle);
    return 0;
}
