/* What LLVM's code generator calls by name. Weak: a program may have functions of these names. */

#define WEAK __attribute__((weak))

WEAK void *memcpy(void *to, const void *from, word count) {
    copy_bytes(to, from, count);
    return to;
}
WEAK void *memmove(void *to, const void *from, word count) {
    copy_bytes(to, from, count);
    return to;
}
WEAK void *memset(void *to, int value, word count) {
    fill_bytes(to, (u8)value, count);
    return to;
}
WEAK int memcmp(const void *a, const void *b, word count) {
    const u8 *x = a, *y = b;
    for (word i = 0; i < count; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}
WEAK int bcmp(const void *a, const void *b, word count) { return memcmp(a, b, count); }

/* Division wider than the machine's, bit by bit. */
#define DIVISION(name, wide, swide, bits, udiv, umod, sdiv, smod)                                                    \
    LOCAL wide name(wide n, wide d, wide *rest) {                                                                    \
        wide q = 0, r = 0;                                                                                           \
        for (int i = bits; i-- > 0;) {                                                                               \
            int carry = (int)(r >> (bits - 1));                                                                      \
            r = (r << 1) | ((n >> i) & 1);                                                                           \
            if (carry || r >= d) {                                                                                   \
                r -= d;                                                                                              \
                q |= (wide)1 << i;                                                                                   \
            }                                                                                                        \
        }                                                                                                            \
        *rest = r;                                                                                                   \
        return q;                                                                                                    \
    }                                                                                                                \
    WEAK wide udiv(wide n, wide d) {                                                                                 \
        wide r;                                                                                                      \
        return name(n, d, &r);                                                                                       \
    }                                                                                                                \
    WEAK wide umod(wide n, wide d) {                                                                                 \
        wide r;                                                                                                      \
        name(n, d, &r);                                                                                              \
        return r;                                                                                                    \
    }                                                                                                                \
    WEAK swide sdiv(swide n, swide d) {                                                                              \
        wide r, q = name(n < 0 ? -(wide)n : (wide)n, d < 0 ? -(wide)d : (wide)d, &r);                                \
        return (swide)((n < 0) != (d < 0) ? -q : q);                                                                 \
    }                                                                                                                \
    WEAK swide smod(swide n, swide d) {                                                                              \
        wide r;                                                                                                      \
        name(n < 0 ? -(wide)n : (wide)n, d < 0 ? -(wide)d : (wide)d, &r);                                            \
        return (swide)(n < 0 ? -r : r);                                                                              \
    }

#if defined(__i386__)
DIVISION(divide64, u64, i64, 64, __udivdi3, __umoddi3, __divdi3, __moddi3)
#else
typedef unsigned __int128 u128;
typedef __int128 i128;
DIVISION(divide128, u128, i128, 128, __udivti3, __umodti3, __divti3, __modti3)
#endif
