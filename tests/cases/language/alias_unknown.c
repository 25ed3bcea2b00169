// A function that is only called under another name is not dead where executions are not followed.
#include <setjmp.h>
static jmp_buf place;
static int impl(int a) {
    return 7 / a; // expect: division-by-zero cond-unsafe
}
static int other(int) __attribute__((alias("impl")));
int main(int argc, char **argv) {
    if (setjmp(place))
        return 1;
    return other(argc & 3); // maybe: signed-overflow unknown
}
