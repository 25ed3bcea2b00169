/* Formats of wide characters as narrow ones: what is no character of ASCII stands for itself only. */
#ifndef NARROWED_H
#define NARROWED_H

#include "vouch.h"

#define LONGEST 512 /* a format with as many characters is not followed */

static void narrowed(char *to, const wchar_t *f) {
    size_t n = __vouch_length(f, EVERYTHING, sizeof *f);
    if (!__vouch_constant(n) || n >= LONGEST) __vouch_unsupported(); /* it may access any of its arguments */
    for (size_t i = 0; i < n; i++) to[i] = f[i] > 0 && f[i] < 128 ? (char)f[i] : '?';
    to[n] = 0;
    if (!__vouch_known(to)) __vouch_unsupported();
}

#endif
