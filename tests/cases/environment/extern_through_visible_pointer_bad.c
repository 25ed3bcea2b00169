// A variable whose address is stored behind a visible pointer is reached.
#include <assert.h>

struct box {
    int *content;
};

static struct box hidden;
struct box *box = &hidden;
void wait(void);

void use(void)
{
    int local = 1;
    box->content = &local;
    wait();
    assert(local == 1); // expect: assertion unsafe
}

#ifdef EVIDENCE
void wait(void)
{
    *box->content = 7;
}
int main(void)
{
    use();
}
#endif
