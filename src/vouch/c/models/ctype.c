/* ctype.h in the C locale: exact, and defined for every int as the usual libraries are. */
#include "vouch.h"

static int within(int c, int low, int high) { return c >= low && c <= high; }

int isdigit(int c) { return within(c, '0', '9'); }
int islower(int c) { return within(c, 'a', 'z'); }
int isupper(int c) { return within(c, 'A', 'Z'); }
int isalpha(int c) { return within(c | 32, 'a', 'z'); }
int isalnum(int c) { return isalpha(c) || within(c, '0', '9'); }
int isxdigit(int c) { return within(c, '0', '9') || within(c | 32, 'a', 'f'); }
int isspace(int c) { return c == ' ' || within(c, '\t', '\r'); }
int isblank(int c) { return c == ' ' || c == '\t'; }
int iscntrl(int c) { return within(c, 0, 31) || c == 127; }
int isprint(int c) { return within(c, 32, 126); }
int isgraph(int c) { return within(c, 33, 126); }
int ispunct(int c) { return isgraph(c) && !within(c | 32, 'a', 'z') && !within(c, '0', '9'); }
int tolower(int c) { return within(c, 'A', 'Z') ? c + 32 : c; }
int toupper(int c) { return within(c, 'a', 'z') ? c - 32 : c; }
int isascii(int c) { return within(c, 0, 127); }
int toascii(int c) { return c & 127; }
