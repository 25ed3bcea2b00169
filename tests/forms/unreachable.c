int builtin_bad(int a, int b) { if (a > 3) __builtin_unreachable(); return b; }
int builtin_safe(int a, int b) { if ((a & 3) > 3) __builtin_unreachable(); return b; }
int switched_bad(int a, int b) { switch (a & 3) { case 0: case 1: return b; default: __builtin_unreachable(); } }
int switched_safe(int a, int b) { switch (a & 1) { case 0: case 1: return b; default: __builtin_unreachable(); } }
#ifdef NATIVE
FORM(builtin, 5, 0)
FORM(switched, 3, 0)
#endif
