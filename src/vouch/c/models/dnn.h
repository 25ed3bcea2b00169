/* What the functions of `cudnn.c` compute, for numbers of type T whose letter is LETTER. Included once for each type.
   `here` pointers lead to the data; the dimensions were checked. */

#define PASTE_(a, b, c) a##b##c
#define PASTE(a, b, c) PASTE_(a, b, c)
#define OWN(f) PASTE(f, _, LETTER)

static T OWN(blend)(T alpha, T value, T beta, const T *old) {
    return beta == 0 ? alpha * value : alpha * value + beta * *old;
}

/* What is not a number stays so, or is zero. */
static T OWN(positive)(_Bool propagate, T x) {
    if (propagate) return x < 0 ? 0 : x;
    return x > 0 ? x : 0;
}

static T OWN(activated)(cudnnActivationDescriptor_t d, T x) {
    T limit = (T)d->coef;
    switch (d->mode) {
    case CUDNN_ACTIVATION_SIGMOID: return 1 / (1 + EXP(-x));
    case CUDNN_ACTIVATION_RELU: return OWN(positive)(d->propagate, x);
    case CUDNN_ACTIVATION_TANH: return TANH(x);
    case CUDNN_ACTIVATION_CLIPPED_RELU: return x < 0 ? 0 : x > limit ? limit : OWN(positive)(d->propagate, x);
    case CUDNN_ACTIVATION_ELU: return x < 0 ? limit * (EXP(x) - 1) : x;
    case CUDNN_ACTIVATION_SWISH: return x / (1 + EXP(-limit * x));
    default: return x;
    }
}

#define EVERY(d, n, c, h, w)                    \
    for (int n = 0; n < (d)->n; n++)            \
        for (int c = 0; c < (d)->c; c++)        \
            for (int h = 0; h < (d)->h; h++)    \
                for (int w = 0; w < (d)->w; w++)

static void OWN(activation)(cudnnActivationDescriptor_t d, T alpha, cudnnTensorDescriptor_t xd, const T *x, T beta,
                            cudnnTensorDescriptor_t yd, T *y) {
    EVERY(xd, n, c, h, w) {
        T *to = y + place(yd, n, c, h, w);
        *to = OWN(blend)(alpha, OWN(activated)(d, x[place(xd, n, c, h, w)]), beta, to);
    }
}

static void OWN(sum)(T alpha, cudnnTensorDescriptor_t ad, const T *a, T beta, cudnnTensorDescriptor_t cd, T *out) {
    EVERY(cd, n, c, h, w) {
        T *to = out + place(cd, n, c, h, w);
        T value = alpha == 0 ? 0 : a[narrow(ad, n, c, h, w)];
        *to = OWN(blend)(alpha, value, beta, to);
    }
}

/* Algorithms that transform their images spread what is infinite or no number, to where nobody says. */
static void OWN(require_finite)(cudnnTensorDescriptor_t xd, const T *x, cudnnFilterDescriptor_t wd, const T *weights) {
    _Bool all = 1;
    EVERY(xd, n, c, h, w) all &= __builtin_elementwise_abs(x[place(xd, n, c, h, w)]) <= LARGEST;
    for (int i = 0; i < wd->k * wd->c * wd->h * wd->w; i++) all &= __builtin_elementwise_abs(weights[i]) <= LARGEST;
    if (!all) __vouch_unsupported();
}

static void OWN(convolution)(T alpha, cudnnTensorDescriptor_t xd, const T *x, cudnnFilterDescriptor_t wd, const T *weights,
                             cudnnConvolutionDescriptor_t cd, T beta, cudnnTensorDescriptor_t yd, T *y) {
    int group = yd->c / cd->groups; /* outputs of one group */
    OWN(require_finite)(xd, x, wd, weights);
    EVERY(yd, n, c, h, w) {
        T sum = 0, *to = y + place(yd, n, c, h, w);
        for (int i = 0; i < wd->c; i++)
            for (int r = 0; r < wd->h; r++)
                for (int s = 0; s < wd->w; s++) {
                    int row = h * cd->u - cd->pad_h + r * cd->dilation_h;
                    int column = w * cd->v - cd->pad_w + s * cd->dilation_w;
                    int fr = cd->mode == CUDNN_CONVOLUTION ? wd->h - 1 - r : r;
                    int fs = cd->mode == CUDNN_CONVOLUTION ? wd->w - 1 - s : s;
                    if (row < 0 || row >= xd->h || column < 0 || column >= xd->w) continue;
                    sum += x[place(xd, n, c / group * wd->c + i, row, column)] * weights[filter_place(wd, c, i, fr, fs)];
                }
        *to = OWN(blend)(alpha, sum, beta, to);
    }
}

static void OWN(pooling)(cudnnPoolingDescriptor_t d, T alpha, cudnnTensorDescriptor_t xd, const T *x, T beta,
                         cudnnTensorDescriptor_t yd, T *y) {
    _Bool largest = d->mode == CUDNN_POOLING_MAX || d->mode == CUDNN_POOLING_MAX_DETERMINISTIC;
    EVERY(yd, n, c, h, w) {
        T found = largest ? -LARGEST : 0, *to = y + place(yd, n, c, h, w);
        int count = 0;
        for (int r = 0; r < d->height; r++)
            for (int s = 0; s < d->width; s++) {
                int row = h * d->stride_h - d->pad_h + r, column = w * d->stride_w - d->pad_w + s;
                if (row < 0 || row >= xd->h || column < 0 || column >= xd->w) continue;
                T value = x[place(xd, n, c, row, column)];
                if (!largest) found += value;
                else if (value > found || (d->propagate && value != value)) found = value;
                count++;
            }
        if (d->mode == CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING) count = d->height * d->width;
        *to = OWN(blend)(alpha, largest ? found : found / (T)count, beta, to);
    }
}

/* One softmax: over the channels at (h, w), or with h < 0 over everything of one image. */
static void OWN(softmax_of)(cudnnSoftmaxAlgorithm_t algo, int n, int h, int w, T alpha, cudnnTensorDescriptor_t xd,
                            const T *x, T beta, cudnnTensorDescriptor_t yd, T *y) {
    int h0 = h < 0 ? 0 : h, h1 = h < 0 ? xd->h : h + 1, w0 = h < 0 ? 0 : w, w1 = h < 0 ? xd->w : w + 1;
    T most = x[place(xd, n, 0, h0, w0)], sum = 0;
#define MEMBERS                        \
    for (int c = 0; c < xd->c; c++)    \
        for (int i = h0; i < h1; i++)  \
            for (int j = w0; j < w1; j++)
    if (algo == CUDNN_SOFTMAX_FAST) most = 0;
    else
        MEMBERS {
            T value = x[place(xd, n, c, i, j)];
            if (most < value) most = value;
        }
    MEMBERS sum += EXP(x[place(xd, n, c, i, j)] - most);
    MEMBERS {
        T value = x[place(xd, n, c, i, j)] - most, *to = y + place(yd, n, c, i, j);
        *to = OWN(blend)(alpha, algo == CUDNN_SOFTMAX_LOG ? value - LOG(sum) : EXP(value) / sum, beta, to);
    }
#undef MEMBERS
}

static void OWN(softmax)(cudnnSoftmaxAlgorithm_t algo, cudnnSoftmaxMode_t mode, T alpha, cudnnTensorDescriptor_t xd,
                         const T *x, T beta, cudnnTensorDescriptor_t yd, T *y) {
    for (int n = 0; n < xd->n; n++)
        if (mode == CUDNN_SOFTMAX_MODE_INSTANCE) OWN(softmax_of)(algo, n, -1, -1, alpha, xd, x, beta, yd, y);
        else
            for (int h = 0; h < xd->h; h++)
                for (int w = 0; w < xd->w; w++) OWN(softmax_of)(algo, n, h, w, alpha, xd, x, beta, yd, y);
}

static void OWN(normalised)(T alpha, T beta, cudnnTensorDescriptor_t xd, const T *x, cudnnTensorDescriptor_t yd, T *y,
                            cudnnTensorDescriptor_t bd, const T *scale, const T *bias, const T *mean, const T *variance,
                            double epsilon) {
    EVERY(xd, n, c, h, w) {
        long long at = narrow(bd, n, c, h, w);
        T centred = x[place(xd, n, c, h, w)] - mean[at], *to = y + place(yd, n, c, h, w);
        T value = bias[at] + scale[at] * centred / __builtin_elementwise_sqrt((T)epsilon + variance[at]);
        *to = OWN(blend)(alpha, value, beta, to);
    }
}

#undef PASTE_
#undef PASTE
#undef OWN
#undef EVERY
