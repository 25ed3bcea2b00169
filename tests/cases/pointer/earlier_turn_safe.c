// A pointer that is set anew in each turn of a loop, directly and by a function.
#include <assert.h>

struct context {
    char *out;
};

static void fill(struct context *context, int value)
{
    context->out[0] = (char)(value & 1);
}

int each(void)
{
    int *kept = 0, sum = 0;
    for (int i = 0; i < 100; i++) {
        int value = i;
        kept = &value;
        sum += *kept;
    }
    assert(sum == 4950);
    return sum;
}

int filled(int count)
{
    struct context context;
    int sum = 0;
    for (int i = 0; i < count && i < 9; i++) {
        char buffer[4];
        context.out = buffer;
        fill(&context, i);
        sum |= buffer[0];
    }
    assert(sum >= 0 && sum <= 1);
    return sum;
}
