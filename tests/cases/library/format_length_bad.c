#include <stdio.h>
#include <string.h>

void signed_number(int x) { char text[11]; sprintf(text, "%d", x); } // expect: pointer unsafe
void unsigned_number(unsigned x) { char text[10]; sprintf(text, "%u", x); } // expect: pointer unsafe
void long_number(long long x) { char text[20]; sprintf(text, "%lld", x); } // expect: pointer unsafe
void hexadecimal(unsigned x) { char text[10]; sprintf(text, "%#x", x); } // expect: pointer unsafe
void octal(unsigned x) { char text[12]; sprintf(text, "%#o", x); } // expect: pointer unsafe
void byte(int x) { char text[4]; sprintf(text, "%hhd", (signed char)x); } // expect: pointer unsafe
void wide(short x) { char text[8]; sprintf(text, "%8hd", x); } // expect: pointer unsafe
void precise(short x) { char text[8]; sprintf(text, "%.7d", x); } // expect: pointer unsafe
void with_sign(unsigned char x) { char text[4]; sprintf(text, "%+d", x); } // expect: pointer unsafe
void characters(int a, int b) { char text[5]; sprintf(text, "%c%%%c  ", a, b); } // expect: pointer unsafe
void literal(void) { char text[5]; sprintf(text, "%s", "12345"); } // expect: pointer unsafe
void prefix(const char *s) { char text[5]; sprintf(text, "%.5s", s); } // expect: pointer unsafe

void width_given(int n)
{
    char text[20];
    if (n >= -20 && n < 20) {
        sprintf(text, "%*d", n, 7); // expect: pointer unsafe
    }
}

void precision_left_out(int n)
{
    char text[12];
    if (n < 30) {
        sprintf(text, "%.*d", n, 5); // expect: pointer unsafe
    }
}

void overlapping(void)
{
    char text[30];
    strcpy(text, "abc");
    sprintf(text, "x%s", text); // expect: pointer unsafe
}

void limited(const char *s)
{
    char text[30];
    snprintf(text, 31, "%s", s); // expect: pointer unsafe
}

int counted(int x)
{
    char text[64];
    int n = sprintf(text, "{%d}", x);
    return 100 / (n - 13); // expect: division-by-zero unsafe
}

int changed(int x)
{
    char text[16] = "abc";
    text[0] = 1;
    sprintf(text, "%d", x & 7);
    return 100 / (text[0] - '0'); // expect: division-by-zero unsafe
}
