"""Small programs, one per library function and size, each with a safe and a failing twin.

A twin is the body of a function in which `a` is an array of N bytes, `s` a string from outside and `f` a
stream. The failing one goes one byte too far, or goes through text that does not end inside the array.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Twins:
    name: str
    good: str
    bad: str
    symbolic: bool = True  # makes sense where N is only known when the program runs


FULL = "memset(a, 'x', N);"  # text without an end
ENDED = "memset(a, 'x', N); a[N - 1] = 0;"
DIGITS = "memset(a, '1', N);"


def reads(name: str, call: str, fill: str = FULL) -> Twins:
    """A function that reads the string a."""
    return Twins(name, f"{fill} a[N - 1] = 0; {call};", f"{fill} {call};")


def counted(name: str, call: str, fill: str = FULL) -> Twins:
    """A function that is told how many bytes to access: K."""
    return Twins(name, f"{fill} {call.replace('K', 'N')};", f"{fill} {call.replace('K', 'N + 1')};")


def copies(name: str, call: str) -> Twins:
    """A function that copies the string s to a."""
    return Twins(name, f"if (strlen(s) < N) {{ {call}; }}", f"{call};")


ALL = (
    copies("strcpy", "strcpy(a, s)"),
    copies("stpcpy", "stpcpy(a, s)"),
    copies("strcat", "a[0] = 0; strcat(a, s)"),
    copies("sprintf", 'sprintf(a, "%s", s)'),
    copies("sprintf_precision", 'sprintf(a, "%.5000s", s)'),
    Twins(
        "sprintf_text",
        'if (strlen(s) < N - 1 && N > 1) { sprintf(a, "%s!", s); }',
        'if (strlen(s) < N) { sprintf(a, "%s!", s); }',
    ),
    counted("snprintf", 'snprintf(a, K, "%s", s)', ""),
    counted("strncpy", "strncpy(a, s, K)", ""),
    counted("strncat", "a[0] = 0; strncat(a, s, K - 1)", ""),
    counted("strlcpy", "strlcpy(a, s, K)", ""),
    counted("memcpy", "memcpy(a, s, K)", ""),
    counted("memmove", "memmove(a, s, K)", ""),
    counted("mempcpy", "mempcpy(a, s, K)", ""),
    counted("memccpy", "memccpy(a, s, 'y', K)", ""),
    counted("memset", "memset(a, 1, K)", ""),
    counted("bzero", "bzero(a, K)", ""),
    counted("strnlen", "strnlen(a, K)"),
    counted("memchr", "memchr(a, 'y', K)"),
    counted("memrchr", "memrchr(a, 'y', K)"),
    counted("memcmp", "memcmp(a, s, K)"),
    counted("memmem", "memmem(a, K, s, 1)"),
    counted("strncmp", "strncmp(a, a, K)"),
    counted("strndup", "free(strndup(a, K))"),
    counted("fgets", "fgets(a, (int)(K), f)", ""),
    counted("fread", "fread(a, 1, K, f)", ""),
    counted("fwrite", "fwrite(a, 1, K, f)"),
    counted("read", "read(0, a, K)", ""),
    counted("write", "write(1, a, K)"),
    counted("qsort", "qsort(a, K, 1, same)"),
    counted("bsearch", "bsearch(s, a, K, 1, same)"),
    counted("printf_precision", 'printf("%.*s", (int)(K), a)'),
    reads("strlen", "strlen(a)"),
    reads("puts", "puts(a)"),
    reads("fputs", "fputs(a, f)"),
    reads("printf", 'printf("%s", a)'),
    reads("fprintf", 'fprintf(f, "<%s>", a)'),
    reads("perror", "perror(a)"),
    reads("strcmp", "strcmp(a, a)"),
    reads("strcasecmp", "strcasecmp(a, a)"),
    reads("strchr", "strchr(a, 'y')"),
    reads("strrchr", "strrchr(a, 'y')"),
    reads("strspn", 'strspn(a, "x")'),
    reads("strcspn", 'strcspn(a, "yz")'),
    reads("strpbrk", 'strpbrk(a, "yz")'),
    reads("strstr", 'strstr(a, "y")'),
    reads("strtok", 'strtok(a, "y")'),
    reads("strdup", "free(strdup(a))"),
    reads("strtol", "strtol(a, NULL, 10)", DIGITS),
    reads("strtoul", "strtoul(a, NULL, 16)", DIGITS),
    reads("atoi", "atoi(a)", DIGITS),
    reads("strtod", "strtod(a, NULL)", DIGITS),
    reads("sscanf", 'int i; sscanf(a, "%d", &i)', DIGITS),
    reads("getenv", "getenv(a)"),
    reads("fopen", 'fopen(a, "r")'),
    reads("remove", "remove(a)"),
    reads("snprintf_read", 'snprintf(NULL, 0, "%s", a)'),
    Twins("gets", ENDED, "gets(a);"),
    Twins("scanf", 'scanf("%1c", a);', 'scanf("%s", a);'),
    Twins(
        "wcscpy",
        "if (wcslen(w) < N) { wchar_t b[N]; wcscpy(b, w); }",
        "wchar_t b[N]; wcscpy(b, w);",
        symbolic=False,
    ),
    Twins(
        "wmemset", "wchar_t b[N]; wmemset(b, 1, N);", "wchar_t b[N]; wmemset(b, 1, N + 1);", symbolic=False
    ),
)

HEAD = """#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>
char *gets(char *);
size_t strlcpy(char *, const char *, size_t);
static int same(const void *x, const void *y) { return *(const char *)x - *(const char *)y; }
"""


def fixed(size: int, pairs: tuple[Twins, ...] = ALL) -> str:
    """A library with two functions for each pair of twins, with arrays of `size` bytes."""
    text = [HEAD, f"#define N {size}\n"]
    for twin in pairs:
        for name, body in ((f"good_{twin.name}", twin.good), (f"bad_{twin.name}", twin.bad)):
            text.append(f"void {name}(char *s, FILE *f, wchar_t *w) {{ char a[N]; {body} }}\n")
    return "".join(text)


def symbolic(pairs: tuple[Twins, ...] = ALL) -> str:
    """The same with memory of a size that comes from outside."""
    text = [HEAD, "#define N n\n"]
    for twin in pairs:
        if twin.symbolic:
            for name, body in ((f"good_{twin.name}", twin.good), (f"bad_{twin.name}", twin.bad)):
                start = "if (n < 1 || n > 300) return; char *a = malloc(n); if (!a) return;"
                text.append(
                    f"void {name}(char *s, FILE *f, wchar_t *w, size_t n) {{ {start} {body} free(a); }}\n"
                )
    return "".join(text)
