#include <stdlib.h>
#include <string.h>
static void *kept;
int malloc_bad(int a, int b) { char *p = malloc(8); if (a) free(p); return 0; }
int malloc_safe(int a, int b) { char *p = malloc(8); free(p); return 0; }
int calloc_bad(int a, int b) { char *p = calloc(8, 1); if (a) free(p); return 0; }
int calloc_safe(int a, int b) { char *p = calloc(8, 1); free(p); return 0; }
int realloc_bad(int a, int b) { char *p = realloc(0, 8); if (a) free(p); return 0; }
int realloc_safe(int a, int b) { char *p = realloc(0, 8); free(p); return 0; }
int aligned_bad(int a, int b) { char *p = aligned_alloc(16, 16); if (a) free(p); return 0; }
int aligned_safe(int a, int b) { char *p = aligned_alloc(16, 16); free(p); return 0; }
int strdup_bad(int a, int b) { char *p = strdup("abc"); if (a) free(p); return 0; }
int strdup_safe(int a, int b) { char *p = strdup("abc"); free(p); return 0; }
int posix_bad(int a, int b) { void *p = 0; if (posix_memalign(&p, 16, 16)) return 0; if (a) free(p); return 0; }
int posix_safe(int a, int b) { void *p = 0; if (posix_memalign(&p, 16, 16)) return 0; free(p); return 0; }
int array_bad(int a, int b) { void *p = reallocarray(0, 2, 4); if (a) free(p); return 0; }
int array_safe(int a, int b) { void *p = reallocarray(0, 2, 4); free(p); return 0; }
int exit_bad(int a, int b) { char *p = malloc(8); if (a) exit(3); free(p); return 0; }
int exit_safe(int a, int b) { char *p = malloc(8); free(p); if (a) exit(0); return 0; }
int loop_bad(int a, int b) { char *p = malloc(8); int i = 0; while (i < (a & 1023)) i++; if (i != 700) free(p); return 0; }
int loop_safe(int a, int b) { char *p = malloc(8); int i = 0; while (i < (a & 1023)) i++; free(p); return 0; }
int kept_bad(int a, int b) { kept = malloc(8); kept = 0; return 0; }
int kept_safe(int a, int b) { free(kept); kept = malloc(8); return 0; }
#ifdef NATIVE
BELIEVED(malloc) BELIEVED(calloc) BELIEVED(realloc) BELIEVED(aligned) BELIEVED(strdup) BELIEVED(posix) BELIEVED(array)
BELIEVED(exit) BELIEVED(loop) BELIEVED(kept)
#endif
