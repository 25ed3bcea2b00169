// options: --malloc-may-fail
#include <cuda_runtime.h>

static int share(void) {
    int good = cudaGetLastError() == cudaSuccess;
    return 10 / good; // expect: division-by-zero unsafe
}

int main() {
    void *p;
    if (cudaMalloc(&p, 8) != cudaSuccess) return share();
    cudaFree(p);
    return 0;
}
