// A pointer that was overwritten is found again through another one that leads into the same struct, whether it was
// there before the write or is looked up afterwards.
#include <stddef.h>
struct box { int *held[2]; int x; };
struct way { int **slot; };
struct box shared;
int before(int **slot)
{
    shared.held[1] = NULL;
    return **slot; // expect: pointer unsafe
}
int after(const struct way *way)
{
    shared.held[1] = NULL;
    return **way->slot; // expect: pointer unsafe
}
#ifdef EVIDENCE
int main(void)
{
    struct way way = {&shared.held[1]};
    return after(&way);
}
#endif
