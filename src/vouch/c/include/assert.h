/* Small C library headers of vouch for targets without an operating system: declarations only, all widths
   from the compiler. */
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#ifdef __cplusplus
extern "C"
#endif
__attribute__((__noreturn__)) void __assert_fail(const char *, const char *, unsigned int, const char *);
#define assert(condition) ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __func__))
#endif
#if !defined(__cplusplus) && !defined(static_assert)
#define static_assert _Static_assert
#endif
