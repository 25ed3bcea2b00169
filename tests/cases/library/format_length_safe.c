// How long a text is at most follows from its format, its arguments' types and ranges.
#include <stdio.h>

void signed_number(int x) { char text[12]; sprintf(text, "%d", x); }
void unsigned_number(unsigned x) { char text[11]; sprintf(text, "%u", x); }
void long_number(long long x) { char text[21]; sprintf(text, "%lld", x); }
void hexadecimal(unsigned x) { char text[11]; sprintf(text, "%#x", x); }
void octal(unsigned x) { char text[13]; sprintf(text, "%#o", x); }
void byte(int x) { char text[5]; sprintf(text, "%hhd", (signed char)x); }
void wide(short x) { char text[9]; sprintf(text, "%8hd", x); }
void precise(short x) { char text[9]; sprintf(text, "%.7d", x); }
void with_sign(unsigned char x) { char text[5]; sprintf(text, "%+d", x); }
void characters(int a, int b) { char text[6]; sprintf(text, "%c%%%c  ", a, b); }
void literal(void) { char text[6]; sprintf(text, "%s", "12345"); }
void prefix(const char *s) { char text[6]; sprintf(text, "%.5s", s); }
void real(double x) { char text[26]; sprintf(text, "%1.15g", x); }

void width_given(int n)
{
    char text[20];
    if (n > -20 && n < 20) {
        sprintf(text, "%*d", n, 7);
    }
}

void precision_given(int n, const char *s)
{
    char text[20];
    if (n >= 0 && n < 20) {
        sprintf(text, "%.*s", n, s);
    }
}

int limited(const char *s, unsigned n)
{
    char text[30];
    if (n > sizeof text) {
        return 0;
    }
    return snprintf(text, n, "%s %d", s, 5) < 0;
}

int counted(int x)
{
    char text[64];
    int n = 0;
    n += sprintf(text + n, "{%d}", x);
    n += sprintf(text + n, "{%d}", x);
    return 100 / (n + 1);
}
