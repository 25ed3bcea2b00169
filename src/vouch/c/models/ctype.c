/* ctype.h in the C locale: exact, and defined for every int as the usual libraries are. What is true is 1 in some
   libraries and a bit of a table in others. */
#include "vouch.h"

static int within(int c, int low, int high) { return c >= low && c <= high; }
static int letter(int c) { return within(c | 32, 'a', 'z'); }
static int digit(int c) { return within(c, '0', '9'); }

static int truth(int holds) { return holds ? (__vouch_nondet_bool() ? 1 : 0x400) : 0; }

int isdigit(int c) { return truth(digit(c)); }
int islower(int c) { return truth(within(c, 'a', 'z')); }
int isupper(int c) { return truth(within(c, 'A', 'Z')); }
int isalpha(int c) { return truth(letter(c)); }
int isalnum(int c) { return truth(letter(c) || digit(c)); }
int isxdigit(int c) { return truth(digit(c) || within(c | 32, 'a', 'f')); }
int isspace(int c) { return truth(c == ' ' || within(c, '\t', '\r')); }
int isblank(int c) { return truth(c == ' ' || c == '\t'); }
int iscntrl(int c) { return truth(within(c, 0, 31) || c == 127); }
int isprint(int c) { return truth(within(c, 32, 126)); }
int isgraph(int c) { return truth(within(c, 33, 126)); }
int ispunct(int c) { return truth(within(c, 33, 126) && !letter(c) && !digit(c)); }
int tolower(int c) { return within(c, 'A', 'Z') ? c + 32 : c; }
int toupper(int c) { return within(c, 'a', 'z') ? c - 32 : c; }
int isascii(int c) { return within(c, 0, 127); }
int toascii(int c) { return c & 127; }

/* The tables of glibc, which its macros look characters up in: from -128 to 255, in the C locale. */
#define BETWEEN(c, low, high) ((c) >= (low) && (c) <= (high))
#define UPPER(c) BETWEEN(c, 'A', 'Z')
#define LOWER(c) BETWEEN(c, 'a', 'z')
#define DIGIT(c) BETWEEN(c, '0', '9')
#define GRAPH(c) BETWEEN(c, 33, 126)
#define ALPHA(c) (UPPER(c) || LOWER(c))
#define HEX(c) (DIGIT(c) || BETWEEN(c, 'a', 'f') || BETWEEN(c, 'A', 'F'))
#define CLASSES(c)                                                                                       \
    (UPPER(c) << 8 | LOWER(c) << 9 | ALPHA(c) << 10 | DIGIT(c) << 11 | HEX(c) << 12 |                   \
     ((c) == ' ' || BETWEEN(c, 9, 13)) << 13 | BETWEEN(c, 32, 126) << 14 | GRAPH(c) << 15 |              \
     ((c) == ' ' || (c) == 9) | (BETWEEN(c, 0, 31) || (c) == 127) << 1 |                                 \
     (GRAPH(c) && !ALPHA(c) && !DIGIT(c)) << 2 | (ALPHA(c) || DIGIT(c)) << 3)
#define TO_LOWER(c) (UPPER(c) ? (c) + 32 : (c))
#define TO_UPPER(c) (LOWER(c) ? (c) - 32 : (c))

#define FOUR(of, c) of(c), of((c) + 1), of((c) + 2), of((c) + 3)
#define SIXTEEN(of, c) FOUR(of, c), FOUR(of, (c) + 4), FOUR(of, (c) + 8), FOUR(of, (c) + 12)
#define SIXTY_FOUR(of, c) SIXTEEN(of, c), SIXTEEN(of, (c) + 16), SIXTEEN(of, (c) + 32), SIXTEEN(of, (c) + 48)
#define ALL(of)                                                                                     \
    SIXTY_FOUR(of, -128), SIXTY_FOUR(of, -64), SIXTY_FOUR(of, 0), SIXTY_FOUR(of, 64), SIXTY_FOUR(of, 128), \
        SIXTY_FOUR(of, 192)

static const unsigned short classes[384] = {ALL(CLASSES)};
static const int lower[384] = {ALL(TO_LOWER)};
static const int upper[384] = {ALL(TO_UPPER)};

const unsigned short **__ctype_b_loc(void) {
    static const unsigned short *table = classes + 128;
    return &table;
}

const int **__ctype_tolower_loc(void) {
    static const int *table = lower + 128;
    return &table;
}

const int **__ctype_toupper_loc(void) {
    static const int *table = upper + 128;
    return &table;
}
