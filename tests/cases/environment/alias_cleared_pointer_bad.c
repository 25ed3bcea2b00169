// A struct that is cleared leaves null pointers behind, also for those who reach them otherwise.
#include <string.h>

struct link {
    int *place;
    int count;
};

int **other(void);

void cleared(struct link *a, int **b)
{
    memset(a, 0, sizeof *a);
    **b = 1; // expect: pointer unsafe
}

void reached_later(struct link *a)
{
    memset(a, 0, sizeof *a);
    int **b = other();
    **b = 1; // expect: pointer unsafe
}

#ifdef EVIDENCE
int main(void)
{
    struct link object;
    cleared(&object, &object.place);
}
int **other(void)
{
    return 0;
}
#endif
