// options: --checks default,unchecked-status
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <stdlib.h>

__global__ void clear(float *x) { x[threadIdx.x] = 0; }

static cudaError_t room(float **p, int n) { return cudaMalloc(p, n * sizeof **p); }
static void must(cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS) exit(1);
}
static void ended() {
    if (cudaGetLastError() != cudaSuccess) exit(1);
}

int main() {
    float h[2] = {1, 2}, *d, *e;
    const float two = 2;
    cublasHandle_t handle;
    cublasStatus_t all = CUBLAS_STATUS_SUCCESS;
    if (room(&d, 2) || room(&e, 2)) return 1;
    must(cublasCreate(&handle));
    all = (cublasStatus_t)(all | cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
    cudaError_t error = cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    if (error != cudaSuccess) return 1;
    all = (cublasStatus_t)(all | cublasSscal(handle, 2, &two, d, 1));
    must(all);
    cudaMemset(e, 0, sizeof h); // the last error is looked at below
    clear<<<1, 2>>>(d);
    ended();
    clear<<<1, 2>>>(e);
    error = cudaPeekAtLastError();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    cudaFree(d), cudaFree(e), cublasDestroy(handle);
    return error != cudaSuccess;
}
