// Runs one form natively: the sanitizer's handlers, or the form itself, say whether something went wrong.
#include <string.h>
#define HANDLER(name) void __ubsan_handle_##name(void) { violated = 1; }
static int violated;
HANDLER(add_overflow)
HANDLER(sub_overflow)
HANDLER(mul_overflow)
HANDLER(negate_overflow)
HANDLER(divrem_overflow)
HANDLER(shift_out_of_bounds)
HANDLER(out_of_bounds)
HANDLER(implicit_conversion)
HANDLER(float_cast_overflow)
HANDLER(invalid_builtin)
HANDLER(builtin_unreachable)
HANDLER(type_mismatch_v1)
HANDLER(pointer_overflow)
HANDLER(vla_bound_not_positive)
HANDLER(load_invalid_value)
HANDLER(nonnull_arg)
static volatile int result;
#define IS(name) if (!strcmp(wanted, #name))
#define FORM(name, ...) \
    IS(name##_bad) { result = (int)name##_bad(__VA_ARGS__); return violated; } \
    IS(name##_safe) { result = (int)name##_safe(__VA_ARGS__); return violated; }
// A wrong value shows itself where no handler is called.
#define VALUE(name, a, b, wrong) \
    IS(name##_bad) { return (wrong) ? 1 : 0; } \
    IS(name##_safe) { result = (int)name##_safe(a, b); return violated; }
// Nothing shows itself: a quoted rule says that it is wrong.
#define BELIEVED(name) IS(name##_bad) return 1; IS(name##_safe) return 0;
