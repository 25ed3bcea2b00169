/* The functions of cuBLAS for numbers of type T, whose letters are LETTER and LOWER. Included once for each type.

   Matrices are stored by columns: element (i, j) of A is A[i + j * lda]. Sums run from the first index to the last,
   rounding every product and every sum. What a factor of zero stands before is not looked at, be it not a number; only
   `scal` multiplies. */

#define PASTE_(a, b, c) a##b##c
#define PASTE(a, b, c) PASTE_(a, b, c)
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define NAME(f) PASTE(cublas, LETTER, PASTE_(f, _v2, ))
#define PLAIN(f) PASTE(cublas, LETTER, f)
#define OWN(f) PASTE(f, _, LETTER)
#define CALL(f) "cublas" TEXT(LETTER) #f ": "

/* Element number i of n that lie `inc` apart: with a negative step they are counted from the end. */
#define AT(i, n, inc) ((inc) >= 0 ? (long long)(i) * (inc) : ((long long)(i) - (n) + 1) * (inc))

#define HANDLE(f) REQUIRE(live(handle), CALL(f) "handle was not created", CUBLAS_STATUS_NOT_INITIALIZED)
#define NONNEGATIVE(f, n) REQUIRE((n) >= 0, CALL(f) #n " is negative", CUBLAS_STATUS_INVALID_VALUE)
#define STEP(f, inc) REQUIRE((inc) != 0, CALL(f) #inc " is zero", CUBLAS_STATUS_INVALID_VALUE)
#define SCALAR(f, p)                                                                                     \
    REQUIRE(scalar_has(handle, p, sizeof(T)), CALL(f) #p " points to no number on the side of the pointer mode", \
            CUBLAS_STATUS_INVALID_VALUE)
#define VECTOR(f, p, n, inc)                                                                              \
    REQUIRE(__vouch_cuda_has(p, extent(n, inc, sizeof(T))),                                                \
            CALL(f) #p " is no memory of the device of the size that " #n " and " #inc " say", CUBLAS_STATUS_EXECUTION_FAILED)
#define MATRIX(f, p, rows, columns, ld)                                                                   \
    REQUIRE(__vouch_cuda_has(p, matrix_extent(rows, columns, ld, sizeof(T))),                              \
            CALL(f) #p " is no memory of the device of the size that its dimensions and " #ld " say",      \
            CUBLAS_STATUS_EXECUTION_FAILED)
#define LEADING(f, ld, rows) \
    REQUIRE((ld) >= 1 && (ld) >= (rows), CALL(f) #ld " is less than the rows of the matrix as it is stored", \
            CUBLAS_STATUS_INVALID_VALUE)
#define OPERATION(f, op) \
    REQUIRE((op) >= CUBLAS_OP_N && (op) <= CUBLAS_OP_C, CALL(f) #op " is no operation", CUBLAS_STATUS_INVALID_VALUE)

#define APART(f, p, a, q, b) \
    REQUIRE(apart(a, b, sizeof(T)), CALL(f) #p " overlaps " #q, CUBLAS_STATUS_EXECUTION_FAILED)
/* The same for what is done element by element, where a vector may be the other one. */
#define APART_OR_SAME(f, p, q, n, incp, incq)                                                                 \
    REQUIRE(((p) == (q) && (incp) == (incq)) || apart(vector(p, n, incp), vector(q, n, incq), sizeof(T)),    \
            CALL(f) #p " overlaps " #q, CUBLAS_STATUS_EXECUTION_FAILED)

static T OWN(scalar)(cublasHandle_t handle, const T *p) {
    return handle->mode == CUBLAS_POINTER_MODE_DEVICE ? *(const T *)__vouch_cuda_here(p) : *p;
}

#define RESULT(f, type)                                                                                    \
    REQUIRE(scalar_has(handle, result, sizeof(type)),                                                      \
            CALL(f) "result points to no number on the side of the pointer mode", CUBLAS_STATUS_INVALID_VALUE)
#define GIVE(type, value)                                                                                  \
    *(type *)(handle->mode == CUBLAS_POINTER_MODE_DEVICE ? __vouch_cuda_here(result) : (void *)result) = (value); \
    return CUBLAS_STATUS_SUCCESS

cublasStatus_t NAME(axpy)(cublasHandle_t handle, int n, const T *alpha, const T *x, int incx, T *y, int incy) {
    HANDLE(axpy);
    SCALAR(axpy, alpha);
    if (n <= 0) return CUBLAS_STATUS_SUCCESS;
    VECTOR(axpy, x, n, incx);
    VECTOR(axpy, y, n, incy);
    APART_OR_SAME(axpy, y, x, n, incy, incx);
    const T a = OWN(scalar)(handle, alpha), *from = __vouch_cuda_here(x);
    T *to = __vouch_cuda_here(y);
    if (a != 0)
        for (int i = 0; i < n; i++) to[AT(i, n, incy)] += a * from[AT(i, n, incx)];
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t NAME(scal)(cublasHandle_t handle, int n, const T *alpha, T *x, int incx) {
    HANDLE(scal);
    SCALAR(scal, alpha);
    if (n <= 0 || incx <= 0) return CUBLAS_STATUS_SUCCESS;
    VECTOR(scal, x, n, incx);
    const T a = OWN(scalar)(handle, alpha);
    T *to = __vouch_cuda_here(x);
    for (int i = 0; i < n; i++) to[AT(i, n, incx)] *= a;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t NAME(copy)(cublasHandle_t handle, int n, const T *x, int incx, T *y, int incy) {
    HANDLE(copy);
    if (n <= 0) return CUBLAS_STATUS_SUCCESS;
    VECTOR(copy, x, n, incx);
    VECTOR(copy, y, n, incy);
    APART_OR_SAME(copy, y, x, n, incy, incx);
    const T *from = __vouch_cuda_here(x);
    T *to = __vouch_cuda_here(y);
    for (int i = 0; i < n; i++) to[AT(i, n, incy)] = from[AT(i, n, incx)];
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t NAME(swap)(cublasHandle_t handle, int n, T *x, int incx, T *y, int incy) {
    HANDLE(swap);
    if (n <= 0) return CUBLAS_STATUS_SUCCESS;
    VECTOR(swap, x, n, incx);
    VECTOR(swap, y, n, incy);
    APART_OR_SAME(swap, y, x, n, incy, incx);
    T *from = __vouch_cuda_here(x), *to = __vouch_cuda_here(y);
    for (int i = 0; i < n; i++) {
        T old = to[AT(i, n, incy)];
        to[AT(i, n, incy)] = from[AT(i, n, incx)];
        from[AT(i, n, incx)] = old;
    }
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t NAME(dot)(cublasHandle_t handle, int n, const T *x, int incx, const T *y, int incy, T *result) {
    T sum = 0;
    HANDLE(dot);
    RESULT(dot, T);
    if (n > 0) {
        VECTOR(dot, x, n, incx);
        VECTOR(dot, y, n, incy);
        const T *a = __vouch_cuda_here(x), *b = __vouch_cuda_here(y);
        for (int i = 0; i < n; i++) sum += a[AT(i, n, incx)] * b[AT(i, n, incy)];
    }
    GIVE(T, sum);
}

cublasStatus_t NAME(nrm2)(cublasHandle_t handle, int n, const T *x, int incx, T *result) {
    T sum = 0;
    HANDLE(nrm2);
    RESULT(nrm2, T);
    if (n > 0 && incx > 0) {
        VECTOR(nrm2, x, n, incx);
        const T *a = __vouch_cuda_here(x);
        _Bool some = 0;
        for (int i = 0; i < n; i++) sum += a[AT(i, n, incx)] * a[AT(i, n, incx)], some |= a[AT(i, n, incx)] != 0;
        /* The library scales its numbers: it neither over- nor underflows. */
        if (!(sum <= LARGEST) || (some && sum < LEAST_SQUARES)) __vouch_unsupported();
        sum = __builtin_elementwise_sqrt(sum);
    }
    GIVE(T, sum);
}

cublasStatus_t NAME(asum)(cublasHandle_t handle, int n, const T *x, int incx, T *result) {
    T sum = 0;
    HANDLE(asum);
    RESULT(asum, T);
    if (n > 0 && incx > 0) {
        VECTOR(asum, x, n, incx);
        const T *a = __vouch_cuda_here(x);
        for (int i = 0; i < n; i++) sum += __builtin_elementwise_abs(a[AT(i, n, incx)]);
    }
    GIVE(T, sum);
}

/* The first of the largest (of the smallest) numbers in size, counted from one. */
#define EXTREME(f, better)                                                                                \
    cublasStatus_t PASTE(cublasI, LOWER, f##_v2)(cublasHandle_t handle, int n, const T *x, int incx, int *result) { \
        int best = 0;                                                                                     \
        HANDLE(I##f);                                                                                     \
        RESULT(I##f, int);                                                                                \
        if (n > 0 && incx > 0) {                                                                          \
            VECTOR(I##f, x, n, incx);                                                                     \
            const T *a = __vouch_cuda_here(x);                                                            \
            T size = __builtin_elementwise_abs(a[0]);                                                     \
            _Bool usual = size == size; /* of what is not a number, nobody says which is largest */       \
            best = 1;                                                                                     \
            for (int i = 1; i < n; i++) {                                                                 \
                T other = __builtin_elementwise_abs(a[(long long)i * incx]);                              \
                usual &= other == other;                                                                  \
                if (other better size) size = other, best = i + 1;                                        \
            }                                                                                             \
            if (!usual) __vouch_unsupported();                                                            \
        }                                                                                                 \
        GIVE(int, best);                                                                                  \
    }
EXTREME(amax, >)
EXTREME(amin, <)

cublasStatus_t NAME(ger)(cublasHandle_t handle, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy,
                         T *A, int lda) {
    HANDLE(ger);
    NONNEGATIVE(ger, m);
    NONNEGATIVE(ger, n);
    STEP(ger, incx);
    STEP(ger, incy);
    LEADING(ger, lda, m);
    SCALAR(ger, alpha);
    if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
    VECTOR(ger, x, m, incx);
    VECTOR(ger, y, n, incy);
    MATRIX(ger, A, m, n, lda);
    APART(ger, A, region(A, m, n, lda), x, vector(x, m, incx));
    APART(ger, A, region(A, m, n, lda), y, vector(y, n, incy));
    const T a = OWN(scalar)(handle, alpha), *left = __vouch_cuda_here(x), *right = __vouch_cuda_here(y);
    T *to = __vouch_cuda_here(A);
    for (int j = 0; j < n && a != 0; j++)
        for (int i = 0; i < m; i++)
            to[i + (long long)j * lda] += a * left[AT(i, m, incx)] * right[AT(j, n, incy)];
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t NAME(gemv)(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const T *alpha, const T *A,
                          int lda, const T *x, int incx, const T *beta, T *y, int incy) {
    HANDLE(gemv);
    OPERATION(gemv, trans);
    NONNEGATIVE(gemv, m);
    NONNEGATIVE(gemv, n);
    STEP(gemv, incx);
    STEP(gemv, incy);
    LEADING(gemv, lda, m);
    SCALAR(gemv, alpha);
    SCALAR(gemv, beta);
    if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
    const int rows = trans == CUBLAS_OP_N ? m : n, columns = trans == CUBLAS_OP_N ? n : m;
    MATRIX(gemv, A, m, n, lda);
    REQUIRE(__vouch_cuda_has(x, extent(columns, incx, sizeof(T))),
            CALL(gemv) "x is no memory of the device of the size that the columns of op(A) and incx say",
            CUBLAS_STATUS_EXECUTION_FAILED);
    REQUIRE(__vouch_cuda_has(y, extent(rows, incy, sizeof(T))),
            CALL(gemv) "y is no memory of the device of the size that the rows of op(A) and incy say",
            CUBLAS_STATUS_EXECUTION_FAILED);
    APART(gemv, y, vector(y, rows, incy), A, region(A, m, n, lda));
    APART(gemv, y, vector(y, rows, incy), x, vector(x, columns, incx));
    const T a = OWN(scalar)(handle, alpha), b = OWN(scalar)(handle, beta);
    const T *matrix = __vouch_cuda_here(A), *from = __vouch_cuda_here(x);
    T *to = __vouch_cuda_here(y);
    for (int i = 0; i < rows; i++) {
        T sum = 0;
        for (int j = 0; j < columns && a != 0; j++)
            sum += matrix[trans == CUBLAS_OP_N ? i + (long long)j * lda : j + (long long)i * lda] *
                   from[AT(j, columns, incx)];
        T *place = to + AT(i, rows, incy);
        *place = b == 0 ? a * sum : a * sum + b * *place;
    }
    return CUBLAS_STATUS_SUCCESS;
}

/* Whether all numbers of a matrix are finite. */
static _Bool OWN(finite)(const T *p, int rows, int columns, int ld) {
    _Bool all = 1;
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) all &= __builtin_elementwise_abs(p[i + (long long)j * ld]) <= LARGEST;
    return all;
}

static void OWN(product)(cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, T alpha, const T *A,
                         int lda, const T *B, int ldb, T beta, T *C, int ldc) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            T sum = 0;
            for (int l = 0; l < k && alpha != 0; l++)
                sum += A[transa == CUBLAS_OP_N ? i + (long long)l * lda : l + (long long)i * lda] *
                       B[transb == CUBLAS_OP_N ? l + (long long)j * ldb : j + (long long)l * ldb];
            T *place = C + i + (long long)j * ldc;
            *place = beta == 0 ? alpha * sum : alpha * sum + beta * *place;
        }
}

#define GEMM(f)                                             \
    HANDLE(f);                                              \
    OPERATION(f, transa);                                   \
    OPERATION(f, transb);                                   \
    NONNEGATIVE(f, m);                                      \
    NONNEGATIVE(f, n);                                      \
    NONNEGATIVE(f, k);                                      \
    LEADING(f, lda, transa == CUBLAS_OP_N ? m : k);         \
    LEADING(f, ldb, transb == CUBLAS_OP_N ? k : n);         \
    LEADING(f, ldc, m);                                     \
    SCALAR(f, alpha);                                       \
    SCALAR(f, beta)

#define ROWS_A (transa == CUBLAS_OP_N ? m : k)
#define COLUMNS_A (transa == CUBLAS_OP_N ? k : m)
#define ROWS_B (transb == CUBLAS_OP_N ? k : n)
#define COLUMNS_B (transb == CUBLAS_OP_N ? n : k)

cublasStatus_t NAME(gemm)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
                          const T *alpha, const T *A, int lda, const T *B, int ldb, const T *beta, T *C, int ldc) {
    GEMM(gemm);
    if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
    if (k > 0) {
        MATRIX(gemm, A, ROWS_A, COLUMNS_A, lda);
        MATRIX(gemm, B, ROWS_B, COLUMNS_B, ldb);
    }
    MATRIX(gemm, C, m, n, ldc);
    if (k > 0) {
        APART(gemm, C, region(C, m, n, ldc), A, region(A, ROWS_A, COLUMNS_A, lda));
        APART(gemm, C, region(C, m, n, ldc), B, region(B, ROWS_B, COLUMNS_B, ldb));
    }
    OWN(product)(transa, transb, m, n, k, OWN(scalar)(handle, alpha), __vouch_cuda_here(A), lda, __vouch_cuda_here(B),
                 ldb, OWN(scalar)(handle, beta), __vouch_cuda_here(C), ldc);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t PLAIN(gemmBatched)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                  int n, int k, const T *alpha, const T *const Aarray[], int lda,
                                  const T *const Barray[], int ldb, const T *beta, T *const Carray[], int ldc,
                                  int batchCount) {
    GEMM(gemmBatched);
    NONNEGATIVE(gemmBatched, batchCount);
    if (m == 0 || n == 0 || batchCount == 0) return CUBLAS_STATUS_SUCCESS;
#define POINTERS(p)                                                                                            \
    REQUIRE(__vouch_cuda_has(p, batchCount * sizeof(T *)),                                                     \
            CALL(gemmBatched) #p " is no memory of the device of batchCount pointers", CUBLAS_STATUS_EXECUTION_FAILED)
    POINTERS(Aarray);
    POINTERS(Barray);
    POINTERS(Carray);
    const T *const *as = __vouch_cuda_here(Aarray), *const *bs = __vouch_cuda_here(Barray);
    T *const *cs = __vouch_cuda_here(Carray);
    for (int i = 0; i < batchCount; i++) {
        const T *A = as[i], *B = bs[i];
        T *C = cs[i];
        if (k > 0) {
            MATRIX(gemmBatched, A, ROWS_A, COLUMNS_A, lda);
            MATRIX(gemmBatched, B, ROWS_B, COLUMNS_B, ldb);
        }
        MATRIX(gemmBatched, C, m, n, ldc);
        for (int j = 0; j < batchCount; j++) {
            if (j < i) APART(gemmBatched, Carray, region(C, m, n, ldc), Carray, region(cs[j], m, n, ldc));
            if (k > 0) {
                APART(gemmBatched, Carray, region(C, m, n, ldc), Aarray, region(as[j], ROWS_A, COLUMNS_A, lda));
                APART(gemmBatched, Carray, region(C, m, n, ldc), Barray, region(bs[j], ROWS_B, COLUMNS_B, ldb));
            }
        }
        /* Unlike the others, the library multiplies with a factor of zero here. */
        if (OWN(scalar)(handle, alpha) == 0 && k > 0 &&
            !(OWN(finite)(__vouch_cuda_here(A), ROWS_A, COLUMNS_A, lda) &&
              OWN(finite)(__vouch_cuda_here(B), ROWS_B, COLUMNS_B, ldb)))
            __vouch_unsupported();
        OWN(product)(transa, transb, m, n, k, OWN(scalar)(handle, alpha), __vouch_cuda_here(A), lda,
                     __vouch_cuda_here(B), ldb, OWN(scalar)(handle, beta), __vouch_cuda_here(C), ldc);
    }
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t PLAIN(gemmStridedBatched)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                         int m, int n, int k, const T *alpha, const T *A, int lda, long long strideA,
                                         const T *B, int ldb, long long strideB, const T *beta, T *C, int ldc,
                                         long long strideC, int batchCount) {
    GEMM(gemmStridedBatched);
    NONNEGATIVE(gemmStridedBatched, batchCount);
    if (m == 0 || n == 0 || batchCount == 0) return CUBLAS_STATUS_SUCCESS;
    REQUIRE(batchCount == 1 || strideC < 0 || strideC >= (long long)ldc * (n - 1) + m,
            CALL(gemmStridedBatched) "strideC makes the results overlap", CUBLAS_STATUS_INVALID_VALUE);
    for (int i = 0; i < batchCount; i++) {
        const T *a = A + i * strideA, *b = B + i * strideB;
        T *c = C + i * strideC;
#define PART(p, rows, columns, ld, whole, stride)                                                                \
    REQUIRE(__vouch_cuda_has(p, matrix_extent(rows, columns, ld, sizeof(T))),                                    \
            CALL(gemmStridedBatched) #whole " is no memory of the device of the size that its dimensions, " #ld  \
                                            " and " #stride " say",                                              \
            CUBLAS_STATUS_EXECUTION_FAILED)
        if (k > 0) {
            PART(a, ROWS_A, COLUMNS_A, lda, A, strideA);
            PART(b, ROWS_B, COLUMNS_B, ldb, B, strideB);
        }
        PART(c, m, n, ldc, C, strideC);
        for (int j = 0; k > 0 && j < batchCount; j++) {
            const struct region left = region(A + j * strideA, ROWS_A, COLUMNS_A, lda);
            const struct region right = region(B + j * strideB, ROWS_B, COLUMNS_B, ldb);
            APART(gemmStridedBatched, C, region(c, m, n, ldc), A, left);
            APART(gemmStridedBatched, C, region(c, m, n, ldc), B, right);
        }
        OWN(product)(transa, transb, m, n, k, OWN(scalar)(handle, alpha), __vouch_cuda_here(a), lda,
                     __vouch_cuda_here(b), ldb, OWN(scalar)(handle, beta), __vouch_cuda_here(c), ldc);
    }
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t PLAIN(geam)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                           const T *alpha, const T *A, int lda, const T *beta, const T *B, int ldb, T *C, int ldc) {
    HANDLE(geam);
    OPERATION(geam, transa);
    OPERATION(geam, transb);
    NONNEGATIVE(geam, m);
    NONNEGATIVE(geam, n);
    LEADING(geam, lda, transa == CUBLAS_OP_N ? m : n);
    LEADING(geam, ldb, transb == CUBLAS_OP_N ? m : n);
    LEADING(geam, ldc, m);
    SCALAR(geam, alpha);
    SCALAR(geam, beta);
    if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
    const T a = OWN(scalar)(handle, alpha), b = OWN(scalar)(handle, beta);
    if (a != 0) MATRIX(geam, A, transa == CUBLAS_OP_N ? m : n, transa == CUBLAS_OP_N ? n : m, lda);
    if (b != 0) MATRIX(geam, B, transb == CUBLAS_OP_N ? m : n, transb == CUBLAS_OP_N ? n : m, ldb);
    MATRIX(geam, C, m, n, ldc);
    REQUIRE(C != A || (transa == CUBLAS_OP_N && lda == ldc), CALL(geam) "C is A, but not with the same lda and untransposed",
            CUBLAS_STATUS_INVALID_VALUE);
    REQUIRE(C != B || (transb == CUBLAS_OP_N && ldb == ldc), CALL(geam) "C is B, but not with the same ldb and untransposed",
            CUBLAS_STATUS_INVALID_VALUE);
    if (a != 0 && C != A)
        APART(geam, C, region(C, m, n, ldc), A,
              region(A, transa == CUBLAS_OP_N ? m : n, transa == CUBLAS_OP_N ? n : m, lda));
    if (b != 0 && C != B)
        APART(geam, C, region(C, m, n, ldc), B,
              region(B, transb == CUBLAS_OP_N ? m : n, transb == CUBLAS_OP_N ? n : m, ldb));
    const T *left = __vouch_cuda_here(A), *right = __vouch_cuda_here(B);
    T *to = __vouch_cuda_here(C);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            T sum = 0;
            if (a != 0) sum = a * left[transa == CUBLAS_OP_N ? i + (long long)j * lda : j + (long long)i * lda];
            if (b != 0) {
                T other = b * right[transb == CUBLAS_OP_N ? i + (long long)j * ldb : j + (long long)i * ldb];
                sum = a != 0 ? sum + other : other;
            }
            to[i + (long long)j * ldc] = sum;
        }
    return CUBLAS_STATUS_SUCCESS;
}

#undef PASTE_
#undef PASTE
#undef TEXT_
#undef TEXT
#undef NAME
#undef PLAIN
#undef OWN
#undef CALL
#undef AT
#undef HANDLE
#undef NONNEGATIVE
#undef STEP
#undef SCALAR
#undef VECTOR
#undef MATRIX
#undef LEADING
#undef OPERATION
#undef RESULT
#undef GIVE
#undef APART
#undef APART_OR_SAME
#undef EXTREME
#undef GEMM
#undef ROWS_A
#undef COLUMNS_A
#undef ROWS_B
#undef COLUMNS_B
#undef POINTERS
#undef PART
