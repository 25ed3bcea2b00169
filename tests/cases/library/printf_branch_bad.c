// What printf returns on one branch does not weaken what is found behind it.
#include <math.h>
#include <stdio.h>

extern volatile int mode;
extern volatile double level;

int main(void) {
    double root = 0;
    if (mode == 1) {
        printf("%d\n", mode);
    }
    if (mode == 2) {
        root = cos(level);
    }
    int next = mode;
    next = next + 1; // expect: signed-overflow unsafe
    return next > 0 && root > 2;
}
