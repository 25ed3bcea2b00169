#include <cuda_runtime.h>
#include <stdlib.h>

int main() {
    int *pinned, *managed, *own = (int *)malloc(4);
    cudaMallocHost(&pinned, 4);
    cudaMallocManaged(&managed, 4);
    *pinned = *managed = 1;
    cudaFreeHost(pinned);
    cudaFree(managed);
    free(own);
}
