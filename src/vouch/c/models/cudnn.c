/* cuDNN, forwards: handles, descriptors, and the functions that compute layers (`dnn.h`), for float and double.

   The work-space query answers what its model needs, which is nothing for IMPLICIT_GEMM and the unrolled input for
   every other algorithm; the real library may want more or less. A program that allocates what it was told is right
   with either. */
#include "device.h"
#include "../include/cuda/cudnn.h"

float expf(float);
double exp(double);
float tanhf(float);
double tanh(double);
float logf(float);
double log(double);

struct cudnnContext { int alive; };
struct cudnnTensorStruct {
    int alive, set;
    cudnnDataType_t type;
    int n, c, h, w, sn, sc, sh, sw;
};
struct cudnnFilterStruct {
    int alive, set;
    cudnnDataType_t type;
    cudnnTensorFormat_t format;
    int k, c, h, w;
};
struct cudnnConvolutionStruct {
    int alive, set;
    int pad_h, pad_w, u, v, dilation_h, dilation_w, groups;
    cudnnConvolutionMode_t mode;
    cudnnDataType_t type;
};
struct cudnnPoolingStruct {
    int alive, set;
    cudnnPoolingMode_t mode;
    _Bool propagate; /* what is not a number */
    int height, width, pad_h, pad_w, stride_h, stride_w;
};
struct cudnnActivationStruct {
    int alive, set;
    cudnnActivationMode_t mode;
    _Bool propagate; /* what is not a number */
    double coef;
};

/* Where element (n, c, h, w) lies; `narrow` stays at the first one along dimensions of size one. */
static long long place(cudnnTensorDescriptor_t d, int n, int c, int h, int w) {
    return (long long)n * d->sn + (long long)c * d->sc + (long long)h * d->sh + (long long)w * d->sw;
}
static long long narrow(cudnnTensorDescriptor_t d, int n, int c, int h, int w) {
    return place(d, d->n == 1 ? 0 : n, d->c == 1 ? 0 : c, d->h == 1 ? 0 : h, d->w == 1 ? 0 : w);
}
static long long filter_place(cudnnFilterDescriptor_t d, int k, int c, int h, int w) {
    if (d->format == CUDNN_TENSOR_NHWC) return (((long long)k * d->h + h) * d->w + w) * d->c + c;
    return (((long long)k * d->c + c) * d->h + h) * d->w + w;
}

static size_t bytes_of(cudnnDataType_t type) { return type == CUDNN_DATA_DOUBLE ? 8 : 4; }
static size_t tensor_bytes(cudnnTensorDescriptor_t d) {
    return (size_t)(place(d, d->n - 1, d->c - 1, d->h - 1, d->w - 1) + 1) * bytes_of(d->type);
}
/* Image by image, where each lies behind the one before. */
static struct region images(cudnnTensorDescriptor_t d, const void *p) {
    const long long one = place(d, 0, d->c - 1, d->h - 1, d->w - 1) + 1;
    if (one > d->sn) return region(p, one + (long long)(d->n - 1) * d->sn, 1, 1);
    return region(p, one, d->n, d->sn);
}
static _Bool same_steps(cudnnTensorDescriptor_t a, cudnnTensorDescriptor_t b) {
    return a->sn == b->sn && a->sc == b->sc && a->sh == b->sh && a->sw == b->sw;
}
static size_t filter_bytes(cudnnFilterDescriptor_t d) {
    return (size_t)d->k * (size_t)d->c * (size_t)d->h * (size_t)d->w * bytes_of(d->type);
}
static _Bool same_shape(cudnnTensorDescriptor_t a, cudnnTensorDescriptor_t b) {
    return a->n == b->n && a->c == b->c && a->h == b->h && a->w == b->w && a->type == b->type;
}
static _Bool has_gaps(cudnnTensorDescriptor_t d) { return d->n > 1 && d->sn != d->c * d->h * d->w; }
static _Bool fits(int part, int whole) { return part == 1 || part == whole; }
static _Bool is_type(cudnnDataType_t type) { return type == CUDNN_DATA_FLOAT || type == CUDNN_DATA_DOUBLE; }

#define T float
#define LETTER S
#define EXP expf
#define TANH tanhf
#define LOG logf
#define LARGEST __FLT_MAX__
#include "dnn.h"
#undef T
#undef LETTER
#undef EXP
#undef TANH
#undef LOG
#undef LARGEST
#define T double
#define LETTER D
#define EXP exp
#define TANH tanh
#define LOG log
#define LARGEST __DBL_MAX__
#include "dnn.h"
#undef T

#define BAD CUDNN_STATUS_BAD_PARAM
#define FAILED CUDNN_STATUS_EXECUTION_FAILED
#define ALIVE(d) (__vouch_valid(d, sizeof *(d)) && (d)->alive)
#define CREATED(f, d) REQUIRE(ALIVE(d), #f ": " #d " was not created", BAD)
#define SET(f, d) REQUIRE(ALIVE(d) && (d)->set, #f ": " #d " was not set", BAD)
#define HANDLE(f) REQUIRE(ALIVE(handle), #f ": handle was not created", CUDNN_STATUS_NOT_INITIALIZED)
#define SUCCESS return CUDNN_STATUS_SUCCESS

#define LIFE(create, destroy, type, d)                                                                 \
    cudnnStatus_t create(type *d) {                                                                    \
        REQUIRE(__vouch_valid(d, sizeof *d), #create ": " #d " points to no variable", BAD);           \
        *d = malloc(sizeof **d);                                                                       \
        if (!*d) return CUDNN_STATUS_ALLOC_FAILED;                                                     \
        memset(*d, 0, sizeof **d);                                                                     \
        (*d)->alive = 1;                                                                               \
        SUCCESS;                                                                                       \
    }                                                                                                  \
    cudnnStatus_t destroy(type d) {                                                                    \
        REQUIRE(ALIVE(d), #destroy ": " #d " was not created", BAD);                                   \
        free(d);                                                                                       \
        SUCCESS;                                                                                       \
    }
LIFE(cudnnCreate, cudnnDestroy, cudnnHandle_t, handle)
LIFE(cudnnCreateTensorDescriptor, cudnnDestroyTensorDescriptor, cudnnTensorDescriptor_t, tensorDesc)
LIFE(cudnnCreateFilterDescriptor, cudnnDestroyFilterDescriptor, cudnnFilterDescriptor_t, filterDesc)
LIFE(cudnnCreateConvolutionDescriptor, cudnnDestroyConvolutionDescriptor, cudnnConvolutionDescriptor_t, convDesc)
LIFE(cudnnCreatePoolingDescriptor, cudnnDestroyPoolingDescriptor, cudnnPoolingDescriptor_t, poolingDesc)
LIFE(cudnnCreateActivationDescriptor, cudnnDestroyActivationDescriptor, cudnnActivationDescriptor_t, activationDesc)

size_t cudnnGetVersion(void) { return CUDNN_VERSION; }
const char *cudnnGetErrorString(cudnnStatus_t status) {
    return status == CUDNN_STATUS_SUCCESS ? "CUDNN_STATUS_SUCCESS" : "CUDNN_STATUS_ERROR";
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t streamId) {
    HANDLE(cudnnSetStream);
    SUCCESS;
}

/* ---------------------------------------------------------------- tensors and filters */

static void set_tensor(cudnnTensorDescriptor_t d, cudnnDataType_t type, int n, int c, int h, int w, int sn, int sc,
                       int sh, int sw) {
    d->type = type;
    d->n = n, d->c = c, d->h = h, d->w = w;
    d->sn = sn, d->sc = sc, d->sh = sh, d->sw = sw;
    d->set = 1;
}

#define POSITIVE(f, a) REQUIRE((a) > 0, #f ": " #a " is not positive", BAD)
#define TYPE(f, t)                                                                       \
    REQUIRE((t) >= CUDNN_DATA_FLOAT && (t) <= CUDNN_DATA_INT32, #f ": " #t " is no type", BAD); \
    if (!is_type(t)) __vouch_unsupported()

cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t tensorDesc, cudnnTensorFormat_t format,
                                         cudnnDataType_t dataType, int n, int c, int h, int w) {
    CREATED(cudnnSetTensor4dDescriptor, tensorDesc);
    TYPE(cudnnSetTensor4dDescriptor, dataType);
    POSITIVE(cudnnSetTensor4dDescriptor, n);
    POSITIVE(cudnnSetTensor4dDescriptor, c);
    POSITIVE(cudnnSetTensor4dDescriptor, h);
    POSITIVE(cudnnSetTensor4dDescriptor, w);
    if (format == CUDNN_TENSOR_NCHW) set_tensor(tensorDesc, dataType, n, c, h, w, c * h * w, h * w, w, 1);
    else if (format == CUDNN_TENSOR_NHWC) set_tensor(tensorDesc, dataType, n, c, h, w, c * h * w, 1, w * c, c);
    else __vouch_unsupported();
    SUCCESS;
}

cudnnStatus_t cudnnSetTensor4dDescriptorEx(cudnnTensorDescriptor_t tensorDesc, cudnnDataType_t dataType, int n, int c,
                                           int h, int w, int nStride, int cStride, int hStride, int wStride) {
    CREATED(cudnnSetTensor4dDescriptorEx, tensorDesc);
    TYPE(cudnnSetTensor4dDescriptorEx, dataType);
    POSITIVE(cudnnSetTensor4dDescriptorEx, n);
    POSITIVE(cudnnSetTensor4dDescriptorEx, c);
    POSITIVE(cudnnSetTensor4dDescriptorEx, h);
    POSITIVE(cudnnSetTensor4dDescriptorEx, w);
    POSITIVE(cudnnSetTensor4dDescriptorEx, nStride);
    POSITIVE(cudnnSetTensor4dDescriptorEx, cStride);
    POSITIVE(cudnnSetTensor4dDescriptorEx, hStride);
    POSITIVE(cudnnSetTensor4dDescriptorEx, wStride);
    set_tensor(tensorDesc, dataType, n, c, h, w, nStride, cStride, hStride, wStride);
    SUCCESS;
}

cudnnStatus_t cudnnGetTensor4dDescriptor(const cudnnTensorDescriptor_t tensorDesc, cudnnDataType_t *dataType, int *n,
                                         int *c, int *h, int *w, int *nStride, int *cStride, int *hStride,
                                         int *wStride) {
    SET(cudnnGetTensor4dDescriptor, tensorDesc);
    *dataType = tensorDesc->type;
    *n = tensorDesc->n, *c = tensorDesc->c, *h = tensorDesc->h, *w = tensorDesc->w;
    *nStride = tensorDesc->sn, *cStride = tensorDesc->sc, *hStride = tensorDesc->sh, *wStride = tensorDesc->sw;
    SUCCESS;
}

cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t tensorDesc, cudnnDataType_t dataType, int nbDims,
                                         const int dimA[], const int strideA[]) {
    CREATED(cudnnSetTensorNdDescriptor, tensorDesc);
    TYPE(cudnnSetTensorNdDescriptor, dataType);
    if (nbDims != 4) __vouch_unsupported();
    for (int i = 0; i < 4; i++) {
        REQUIRE(dimA[i] > 0, "cudnnSetTensorNdDescriptor: dimA holds a number that is not positive", BAD);
        REQUIRE(strideA[i] > 0, "cudnnSetTensorNdDescriptor: strideA holds a number that is not positive", BAD);
    }
    set_tensor(tensorDesc, dataType, dimA[0], dimA[1], dimA[2], dimA[3], strideA[0], strideA[1], strideA[2], strideA[3]);
    SUCCESS;
}

cudnnStatus_t cudnnGetTensorSizeInBytes(const cudnnTensorDescriptor_t tensorDesc, size_t *size) {
    SET(cudnnGetTensorSizeInBytes, tensorDesc);
    *size = tensor_bytes(tensorDesc);
    SUCCESS;
}

cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t filterDesc, cudnnDataType_t dataType,
                                         cudnnTensorFormat_t format, int k, int c, int h, int w) {
    CREATED(cudnnSetFilter4dDescriptor, filterDesc);
    TYPE(cudnnSetFilter4dDescriptor, dataType);
    POSITIVE(cudnnSetFilter4dDescriptor, k);
    POSITIVE(cudnnSetFilter4dDescriptor, c);
    POSITIVE(cudnnSetFilter4dDescriptor, h);
    POSITIVE(cudnnSetFilter4dDescriptor, w);
    if (format != CUDNN_TENSOR_NCHW && format != CUDNN_TENSOR_NHWC) __vouch_unsupported();
    filterDesc->type = dataType, filterDesc->format = format;
    filterDesc->k = k, filterDesc->c = c, filterDesc->h = h, filterDesc->w = w;
    filterDesc->set = 1;
    SUCCESS;
}

/* ---------------------------------------------------------------- layers */

#define SIDE(f, d, p) \
    REQUIRE(__vouch_cuda_has(p, tensor_bytes(d)), #f ": " #p " is no memory of the device of the size that " #d " says", FAILED)
/* What is written is nothing that is read. */
#define APART(f, p, a, q, b, type) REQUIRE(apart(a, b, bytes_of(type)), #f ": " #p " overlaps " #q, FAILED)
/* The same, where the result may take the place of what it is made of. */
#define APART_OR_SAME(f, p, pd, q, qd)                                                                     \
    REQUIRE(((p) == (q) && same_shape(pd, qd) && same_steps(pd, qd)) ||                                    \
                apart(images(pd, p), images(qd, q), bytes_of((pd)->type)),                                 \
            #f ": " #p " overlaps " #q, FAILED)
/* Scaling factors are numbers of the host: of type double for tensors of doubles, of type float for all others. */
#define FACTORS(f, type)                                                                          \
    REQUIRE(__vouch_valid(alpha, bytes_of(type)), #f ": alpha points to no number of the host", BAD); \
    REQUIRE(__vouch_valid(beta, bytes_of(type)), #f ": beta points to no number of the host", BAD)
#define BY_TYPE(type, f, ...)                            \
    if ((type) == CUDNN_DATA_DOUBLE) {                   \
        typedef double N;                                \
        f##_D(__VA_ARGS__);                              \
    } else {                                             \
        typedef float N;                                 \
        f##_S(__VA_ARGS__);                              \
    }
#define FACTOR(p) (*(const N *)(p))
#define DATA(p) __vouch_cuda_here(p)

cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t activationDesc, cudnnActivationMode_t mode,
                                           cudnnNanPropagation_t reluNanOpt, double coef) {
    CREATED(cudnnSetActivationDescriptor, activationDesc);
    REQUIRE(mode >= CUDNN_ACTIVATION_SIGMOID && mode <= CUDNN_ACTIVATION_SWISH,
            "cudnnSetActivationDescriptor: mode is no activation", BAD);
    REQUIRE(reluNanOpt == CUDNN_PROPAGATE_NAN || reluNanOpt == CUDNN_NOT_PROPAGATE_NAN,
            "cudnnSetActivationDescriptor: reluNanOpt is neither to propagate nor not to", BAD);
    activationDesc->mode = mode;
    activationDesc->propagate = reluNanOpt == CUDNN_PROPAGATE_NAN;
    activationDesc->coef = coef;
    activationDesc->set = 1;
    SUCCESS;
}

cudnnStatus_t cudnnActivationForward(cudnnHandle_t handle, cudnnActivationDescriptor_t activationDesc,
                                     const void *alpha, const cudnnTensorDescriptor_t xDesc, const void *x,
                                     const void *beta, const cudnnTensorDescriptor_t yDesc, void *y) {
    HANDLE(cudnnActivationForward);
    SET(cudnnActivationForward, activationDesc);
    SET(cudnnActivationForward, xDesc);
    SET(cudnnActivationForward, yDesc);
    FACTORS(cudnnActivationForward, xDesc->type);
    REQUIRE(activationDesc->mode != CUDNN_ACTIVATION_IDENTITY,
            "cudnnActivationForward: activationDesc holds the identity, which is for fused convolutions only", BAD);
    REQUIRE(same_shape(xDesc, yDesc), "cudnnActivationForward: yDesc has another shape or type than xDesc", BAD);
    SIDE(cudnnActivationForward, xDesc, x);
    SIDE(cudnnActivationForward, yDesc, y);
    APART_OR_SAME(cudnnActivationForward, y, yDesc, x, xDesc);
    BY_TYPE(xDesc->type, activation, activationDesc, FACTOR(alpha), xDesc, DATA(x), FACTOR(beta), yDesc, DATA(y))
    SUCCESS;
}

cudnnStatus_t cudnnAddTensor(cudnnHandle_t handle, const void *alpha, const cudnnTensorDescriptor_t aDesc,
                             const void *A, const void *beta, const cudnnTensorDescriptor_t cDesc, void *C) {
    HANDLE(cudnnAddTensor);
    SET(cudnnAddTensor, aDesc);
    SET(cudnnAddTensor, cDesc);
    FACTORS(cudnnAddTensor, cDesc->type);
    REQUIRE(aDesc->type == cDesc->type, "cudnnAddTensor: aDesc has another type than cDesc", BAD);
    REQUIRE(fits(aDesc->n, cDesc->n) && fits(aDesc->c, cDesc->c) && fits(aDesc->h, cDesc->h) && fits(aDesc->w, cDesc->w),
            "cudnnAddTensor: a dimension of aDesc is neither one nor that of cDesc", BAD);
    SIDE(cudnnAddTensor, aDesc, A);
    SIDE(cudnnAddTensor, cDesc, C);
    APART_OR_SAME(cudnnAddTensor, C, cDesc, A, aDesc);
    BY_TYPE(cDesc->type, sum, FACTOR(alpha), aDesc, DATA(A), FACTOR(beta), cDesc, DATA(C))
    SUCCESS;
}

cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t convDesc, int pad_h, int pad_w, int u,
                                              int v, int dilation_h, int dilation_w, cudnnConvolutionMode_t mode,
                                              cudnnDataType_t computeType) {
    CREATED(cudnnSetConvolution2dDescriptor, convDesc);
    TYPE(cudnnSetConvolution2dDescriptor, computeType);
    REQUIRE(pad_h >= 0, "cudnnSetConvolution2dDescriptor: pad_h is negative", BAD);
    REQUIRE(pad_w >= 0, "cudnnSetConvolution2dDescriptor: pad_w is negative", BAD);
    POSITIVE(cudnnSetConvolution2dDescriptor, u);
    POSITIVE(cudnnSetConvolution2dDescriptor, v);
    POSITIVE(cudnnSetConvolution2dDescriptor, dilation_h);
    POSITIVE(cudnnSetConvolution2dDescriptor, dilation_w);
    REQUIRE(mode == CUDNN_CONVOLUTION || mode == CUDNN_CROSS_CORRELATION,
            "cudnnSetConvolution2dDescriptor: mode is no kind of convolution", BAD);
    convDesc->pad_h = pad_h, convDesc->pad_w = pad_w, convDesc->u = u, convDesc->v = v;
    convDesc->dilation_h = dilation_h, convDesc->dilation_w = dilation_w;
    convDesc->mode = mode, convDesc->type = computeType;
    if (!convDesc->groups) convDesc->groups = 1;
    convDesc->set = 1;
    SUCCESS;
}

cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t convDesc, int groupCount) {
    CREATED(cudnnSetConvolutionGroupCount, convDesc);
    POSITIVE(cudnnSetConvolutionGroupCount, groupCount);
    convDesc->groups = groupCount;
    SUCCESS;
}

cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t convDesc, cudnnMathType_t mathType) {
    CREATED(cudnnSetConvolutionMathType, convDesc);
    if (mathType != CUDNN_DEFAULT_MATH && mathType != CUDNN_FMA_MATH) __vouch_unsupported();
    SUCCESS;
}

static int outputs(int size, int pad, int window, int dilation, int stride) {
    return 1 + (size + 2 * pad - ((window - 1) * dilation + 1)) / stride;
}
static int conv_h(cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t f, cudnnConvolutionDescriptor_t d) {
    return outputs(x->h, d->pad_h, f->h, d->dilation_h, d->u);
}
static int conv_w(cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t f, cudnnConvolutionDescriptor_t d) {
    return outputs(x->w, d->pad_w, f->w, d->dilation_w, d->v);
}
static _Bool window_fits(cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t f, cudnnConvolutionDescriptor_t d) {
    return (f->h - 1) * d->dilation_h + 1 <= x->h + 2 * d->pad_h && (f->w - 1) * d->dilation_w + 1 <= x->w + 2 * d->pad_w;
}
static size_t unrolled(cudnnTensorDescriptor_t y, cudnnFilterDescriptor_t f, cudnnConvolutionFwdAlgo_t algo) {
    if (algo == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM) return 0;
    return (size_t)f->c * (size_t)f->h * (size_t)f->w * (size_t)y->h * (size_t)y->w * bytes_of(f->type);
}

#define CONVOLUTION(f, xd, fd)                                                                                        \
    SET(f, xd);                                                                                                       \
    SET(f, fd);                                                                                                       \
    SET(f, convDesc);                                                                                                 \
    REQUIRE(xd->type == fd->type, #f ": " #fd " has another type than " #xd, BAD);                                    \
    REQUIRE(xd->c == fd->c * convDesc->groups, #f ": " #fd " has other channels than " #xd, BAD);                     \
    REQUIRE(fd->k % convDesc->groups == 0, #f ": the groups of convDesc do not divide the filters of " #fd, BAD);     \
    REQUIRE(window_fits(xd, fd, convDesc), #f ": " #fd " is larger than " #xd " with its padding", BAD)
#define RESULT_OF(f)                                                                                                  \
    SET(f, yDesc);                                                                                                    \
    REQUIRE(yDesc->n == xDesc->n && yDesc->c == wDesc->k && yDesc->h == conv_h(xDesc, wDesc, convDesc) &&             \
                yDesc->w == conv_w(xDesc, wDesc, convDesc) && yDesc->type == xDesc->type,                             \
            #f ": yDesc is not the shape that the convolution has", BAD)
#define ALGORITHM(f)                                                                                                  \
    REQUIRE(algo >= CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM && algo < CUDNN_CONVOLUTION_FWD_ALGO_COUNT,               \
            #f ": algo is no algorithm", BAD)

cudnnStatus_t cudnnGetConvolution2dForwardOutputDim(const cudnnConvolutionDescriptor_t convDesc,
                                                    const cudnnTensorDescriptor_t inputTensorDesc,
                                                    const cudnnFilterDescriptor_t filterDesc, int *n, int *c, int *h,
                                                    int *w) {
    CONVOLUTION(cudnnGetConvolution2dForwardOutputDim, inputTensorDesc, filterDesc);
    *n = inputTensorDesc->n, *c = filterDesc->k;
    *h = conv_h(inputTensorDesc, filterDesc, convDesc), *w = conv_w(inputTensorDesc, filterDesc, convDesc);
    SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t handle, const cudnnTensorDescriptor_t xDesc,
                                                     const cudnnFilterDescriptor_t wDesc,
                                                     const cudnnConvolutionDescriptor_t convDesc,
                                                     const cudnnTensorDescriptor_t yDesc, const int requestedAlgoCount,
                                                     int *returnedAlgoCount,
                                                     cudnnConvolutionFwdAlgoPerf_t *perfResults) {
    HANDLE(cudnnGetConvolutionForwardAlgorithm_v7);
    CONVOLUTION(cudnnGetConvolutionForwardAlgorithm_v7, xDesc, wDesc);
    RESULT_OF(cudnnGetConvolutionForwardAlgorithm_v7);
    POSITIVE(cudnnGetConvolutionForwardAlgorithm_v7, requestedAlgoCount);
    memset(perfResults, 0, sizeof *perfResults);
    perfResults->algo = __vouch_nondet_bool() ? CUDNN_CONVOLUTION_FWD_ALGO_GEMM : CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM;
    perfResults->memory = unrolled(yDesc, wDesc, perfResults->algo);
    *returnedAlgoCount = 1;
    SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t handle, const cudnnTensorDescriptor_t xDesc,
                                                      const cudnnFilterDescriptor_t wDesc,
                                                      const cudnnConvolutionDescriptor_t convDesc,
                                                      const cudnnTensorDescriptor_t yDesc,
                                                      cudnnConvolutionFwdAlgo_t algo, size_t *sizeInBytes) {
    HANDLE(cudnnGetConvolutionForwardWorkspaceSize);
    CONVOLUTION(cudnnGetConvolutionForwardWorkspaceSize, xDesc, wDesc);
    RESULT_OF(cudnnGetConvolutionForwardWorkspaceSize);
    ALGORITHM(cudnnGetConvolutionForwardWorkspaceSize);
    *sizeInBytes = unrolled(yDesc, wDesc, algo);
    SUCCESS;
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void *alpha, const cudnnTensorDescriptor_t xDesc,
                                      const void *x, const cudnnFilterDescriptor_t wDesc, const void *w,
                                      const cudnnConvolutionDescriptor_t convDesc, cudnnConvolutionFwdAlgo_t algo,
                                      void *workSpace, size_t workSpaceSizeInBytes, const void *beta,
                                      const cudnnTensorDescriptor_t yDesc, void *y) {
    HANDLE(cudnnConvolutionForward);
    CONVOLUTION(cudnnConvolutionForward, xDesc, wDesc);
    RESULT_OF(cudnnConvolutionForward);
    ALGORITHM(cudnnConvolutionForward);
    FACTORS(cudnnConvolutionForward, xDesc->type);
    REQUIRE(workSpaceSizeInBytes >= unrolled(yDesc, wDesc, algo),
            "cudnnConvolutionForward: workSpaceSizeInBytes is less than the query says", CUDNN_STATUS_NOT_SUPPORTED);
    REQUIRE(workSpaceSizeInBytes == 0 || __vouch_cuda_has(workSpace, workSpaceSizeInBytes),
            "cudnnConvolutionForward: workSpace is no memory of the device of workSpaceSizeInBytes", FAILED);
    SIDE(cudnnConvolutionForward, xDesc, x);
    REQUIRE(__vouch_cuda_has(w, filter_bytes(wDesc)),
            "cudnnConvolutionForward: w is no memory of the device of the size that wDesc says", FAILED);
    SIDE(cudnnConvolutionForward, yDesc, y);
    const long long weights = (long long)(filter_bytes(wDesc) / bytes_of(wDesc->type));
    APART(cudnnConvolutionForward, y, images(yDesc, y), x, images(xDesc, x), xDesc->type);
    APART(cudnnConvolutionForward, y, images(yDesc, y), w, region(w, weights, 1, 1), xDesc->type);
    BY_TYPE(xDesc->type, convolution, FACTOR(alpha), xDesc, DATA(x), wDesc, DATA(w), convDesc, FACTOR(beta), yDesc,
            DATA(y))
    SUCCESS;
}

cudnnStatus_t cudnnSetPooling2dDescriptor(cudnnPoolingDescriptor_t poolingDesc, cudnnPoolingMode_t mode,
                                          cudnnNanPropagation_t maxpoolingNanOpt, int windowHeight, int windowWidth,
                                          int verticalPadding, int horizontalPadding, int verticalStride,
                                          int horizontalStride) {
    CREATED(cudnnSetPooling2dDescriptor, poolingDesc);
    REQUIRE(mode >= CUDNN_POOLING_MAX && mode <= CUDNN_POOLING_MAX_DETERMINISTIC,
            "cudnnSetPooling2dDescriptor: mode is no kind of pooling", BAD);
    POSITIVE(cudnnSetPooling2dDescriptor, windowHeight);
    POSITIVE(cudnnSetPooling2dDescriptor, windowWidth);
    POSITIVE(cudnnSetPooling2dDescriptor, verticalStride);
    POSITIVE(cudnnSetPooling2dDescriptor, horizontalStride);
    REQUIRE(verticalPadding >= 0 && verticalPadding < windowHeight,
            "cudnnSetPooling2dDescriptor: verticalPadding is negative or not less than windowHeight", BAD);
    REQUIRE(horizontalPadding >= 0 && horizontalPadding < windowWidth,
            "cudnnSetPooling2dDescriptor: horizontalPadding is negative or not less than windowWidth", BAD);
    REQUIRE(maxpoolingNanOpt == CUDNN_PROPAGATE_NAN || maxpoolingNanOpt == CUDNN_NOT_PROPAGATE_NAN,
            "cudnnSetPooling2dDescriptor: maxpoolingNanOpt is neither to propagate nor not to", BAD);
    poolingDesc->mode = mode;
    poolingDesc->propagate = maxpoolingNanOpt == CUDNN_PROPAGATE_NAN;
    poolingDesc->height = windowHeight, poolingDesc->width = windowWidth;
    poolingDesc->pad_h = verticalPadding, poolingDesc->pad_w = horizontalPadding;
    poolingDesc->stride_h = verticalStride, poolingDesc->stride_w = horizontalStride;
    poolingDesc->set = 1;
    SUCCESS;
}

static int pool_h(cudnnPoolingDescriptor_t d, cudnnTensorDescriptor_t x) {
    return outputs(x->h, d->pad_h, d->height, 1, d->stride_h);
}
static int pool_w(cudnnPoolingDescriptor_t d, cudnnTensorDescriptor_t x) {
    return outputs(x->w, d->pad_w, d->width, 1, d->stride_w);
}
static _Bool pool_fits(cudnnPoolingDescriptor_t d, cudnnTensorDescriptor_t x) {
    return d->height <= x->h + 2 * d->pad_h && d->width <= x->w + 2 * d->pad_w;
}

cudnnStatus_t cudnnGetPooling2dForwardOutputDim(const cudnnPoolingDescriptor_t poolingDesc,
                                                const cudnnTensorDescriptor_t inputTensorDesc, int *n, int *c, int *h,
                                                int *w) {
    SET(cudnnGetPooling2dForwardOutputDim, poolingDesc);
    SET(cudnnGetPooling2dForwardOutputDim, inputTensorDesc);
    REQUIRE(pool_fits(poolingDesc, inputTensorDesc),
            "cudnnGetPooling2dForwardOutputDim: the window of poolingDesc is larger than inputTensorDesc", BAD);
    *n = inputTensorDesc->n, *c = inputTensorDesc->c;
    *h = pool_h(poolingDesc, inputTensorDesc), *w = pool_w(poolingDesc, inputTensorDesc);
    SUCCESS;
}

cudnnStatus_t cudnnPoolingForward(cudnnHandle_t handle, const cudnnPoolingDescriptor_t poolingDesc, const void *alpha,
                                  const cudnnTensorDescriptor_t xDesc, const void *x, const void *beta,
                                  const cudnnTensorDescriptor_t yDesc, void *y) {
    HANDLE(cudnnPoolingForward);
    SET(cudnnPoolingForward, poolingDesc);
    SET(cudnnPoolingForward, xDesc);
    SET(cudnnPoolingForward, yDesc);
    FACTORS(cudnnPoolingForward, xDesc->type);
    REQUIRE(pool_fits(poolingDesc, xDesc), "cudnnPoolingForward: the window of poolingDesc is larger than xDesc", BAD);
    REQUIRE(yDesc->n == xDesc->n && yDesc->c == xDesc->c && yDesc->h == pool_h(poolingDesc, xDesc) &&
                yDesc->w == pool_w(poolingDesc, xDesc) && yDesc->type == xDesc->type,
            "cudnnPoolingForward: yDesc is not the shape that the pooling has", BAD);
    SIDE(cudnnPoolingForward, xDesc, x);
    SIDE(cudnnPoolingForward, yDesc, y);
    APART(cudnnPoolingForward, y, images(yDesc, y), x, images(xDesc, x), xDesc->type);
    BY_TYPE(xDesc->type, pooling, poolingDesc, FACTOR(alpha), xDesc, DATA(x), FACTOR(beta), yDesc, DATA(y))
    SUCCESS;
}

cudnnStatus_t cudnnSoftmaxForward(cudnnHandle_t handle, cudnnSoftmaxAlgorithm_t algo, cudnnSoftmaxMode_t mode,
                                  const void *alpha, const cudnnTensorDescriptor_t xDesc, const void *x,
                                  const void *beta, const cudnnTensorDescriptor_t yDesc, void *y) {
    HANDLE(cudnnSoftmaxForward);
    SET(cudnnSoftmaxForward, xDesc);
    SET(cudnnSoftmaxForward, yDesc);
    FACTORS(cudnnSoftmaxForward, xDesc->type);
    REQUIRE(algo >= CUDNN_SOFTMAX_FAST && algo <= CUDNN_SOFTMAX_LOG, "cudnnSoftmaxForward: algo is no algorithm", BAD);
    REQUIRE(mode == CUDNN_SOFTMAX_MODE_INSTANCE || mode == CUDNN_SOFTMAX_MODE_CHANNEL,
            "cudnnSoftmaxForward: mode is no mode", BAD);
    /* The library overlooks gaps between images here, against its documentation. */
    if (mode == CUDNN_SOFTMAX_MODE_INSTANCE && (has_gaps(xDesc) || has_gaps(yDesc))) __vouch_unsupported();
    REQUIRE(same_shape(xDesc, yDesc), "cudnnSoftmaxForward: yDesc has another shape or type than xDesc", BAD);
    SIDE(cudnnSoftmaxForward, xDesc, x);
    SIDE(cudnnSoftmaxForward, yDesc, y);
    APART_OR_SAME(cudnnSoftmaxForward, y, yDesc, x, xDesc);
    BY_TYPE(xDesc->type, softmax, algo, mode, FACTOR(alpha), xDesc, DATA(x), FACTOR(beta), yDesc, DATA(y))
    SUCCESS;
}

cudnnStatus_t cudnnDeriveBNTensorDescriptor(cudnnTensorDescriptor_t derivedBnDesc,
                                            const cudnnTensorDescriptor_t xDesc, cudnnBatchNormMode_t mode) {
    CREATED(cudnnDeriveBNTensorDescriptor, derivedBnDesc);
    SET(cudnnDeriveBNTensorDescriptor, xDesc);
    int h = mode == CUDNN_BATCHNORM_PER_ACTIVATION ? xDesc->h : 1, w = mode == CUDNN_BATCHNORM_PER_ACTIVATION ? xDesc->w : 1;
    set_tensor(derivedBnDesc, xDesc->type, 1, xDesc->c, h, w, xDesc->c * h * w, h * w, w, 1);
    SUCCESS;
}

cudnnStatus_t cudnnBatchNormalizationForwardInference(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void *alpha, const void *beta,
    const cudnnTensorDescriptor_t xDesc, const void *x, const cudnnTensorDescriptor_t yDesc, void *y,
    const cudnnTensorDescriptor_t bnScaleBiasMeanVarDesc, const void *bnScale, const void *bnBias,
    const void *estimatedMean, const void *estimatedVariance, double epsilon) {
    HANDLE(cudnnBatchNormalizationForwardInference);
    SET(cudnnBatchNormalizationForwardInference, xDesc);
    SET(cudnnBatchNormalizationForwardInference, yDesc);
    SET(cudnnBatchNormalizationForwardInference, bnScaleBiasMeanVarDesc);
    FACTORS(cudnnBatchNormalizationForwardInference, xDesc->type);
    REQUIRE(mode >= CUDNN_BATCHNORM_PER_ACTIVATION && mode <= CUDNN_BATCHNORM_SPATIAL_PERSISTENT,
            "cudnnBatchNormalizationForwardInference: mode is no mode", BAD);
    REQUIRE(epsilon >= CUDNN_BN_MIN_EPSILON, "cudnnBatchNormalizationForwardInference: epsilon is too small", BAD);
    REQUIRE(same_shape(xDesc, yDesc),
            "cudnnBatchNormalizationForwardInference: yDesc has another shape or type than xDesc", BAD);
    REQUIRE(bnScaleBiasMeanVarDesc->n == 1 && bnScaleBiasMeanVarDesc->c == xDesc->c &&
                bnScaleBiasMeanVarDesc->h == (mode == CUDNN_BATCHNORM_PER_ACTIVATION ? xDesc->h : 1) &&
                bnScaleBiasMeanVarDesc->w == (mode == CUDNN_BATCHNORM_PER_ACTIVATION ? xDesc->w : 1),
            "cudnnBatchNormalizationForwardInference: bnScaleBiasMeanVarDesc is not the shape that mode and xDesc say", BAD);
    SIDE(cudnnBatchNormalizationForwardInference, xDesc, x);
    SIDE(cudnnBatchNormalizationForwardInference, yDesc, y);
    SIDE(cudnnBatchNormalizationForwardInference, bnScaleBiasMeanVarDesc, bnScale);
    SIDE(cudnnBatchNormalizationForwardInference, bnScaleBiasMeanVarDesc, bnBias);
    SIDE(cudnnBatchNormalizationForwardInference, bnScaleBiasMeanVarDesc, estimatedMean);
    SIDE(cudnnBatchNormalizationForwardInference, bnScaleBiasMeanVarDesc, estimatedVariance);
    APART_OR_SAME(cudnnBatchNormalizationForwardInference, y, yDesc, x, xDesc);
    BY_TYPE(xDesc->type, normalised, FACTOR(alpha), FACTOR(beta), xDesc, DATA(x), yDesc, DATA(y),
            bnScaleBiasMeanVarDesc, DATA(bnScale), DATA(bnBias), DATA(estimatedMean), DATA(estimatedVariance), epsilon)
    SUCCESS;
}
