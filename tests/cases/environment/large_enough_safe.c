// However large the object behind the pointer is, its end can be addressed.
#include <stddef.h>

ptrdiff_t distance(const char *data, size_t length)
{
    const char *end = data + length;
    char last = length > 0u ? end[-1] : '\0';
    return last == 'x' ? end - data : 0;
}
