#include <cuda_runtime.h>
#include <stdlib.h>

/* Memory of CUDA is freed by CUDA. */
int main() {
    int *pinned, *managed;
    cudaMallocHost(&pinned, 4);
    cudaMallocManaged(&managed, 4);
    free(pinned);  // expect: pointer unsafe
    free(managed); // expect: pointer cond-unsafe
}
