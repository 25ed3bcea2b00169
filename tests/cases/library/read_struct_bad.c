// What read brings in lies where it was put, behind the first bytes too.
#include <assert.h>
#include <unistd.h>

struct message {
    int id;
    int parts[4];
};

int main(void)
{
    struct message m;
    if (read(0, &m, sizeof m) != (ssize_t)sizeof m)
        return 0;
    assert(m.id != 0x01020304 || m.parts[3] != 77); // expect: assertion unsafe
    return 0;
}
