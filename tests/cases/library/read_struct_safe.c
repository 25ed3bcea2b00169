#include <assert.h>
#include <unistd.h>

struct message {
    int id;
    unsigned parts[4];
};

int main(void)
{
    struct message m;
    m.id = 5;
    if (read(0, m.parts, sizeof m.parts) != (ssize_t)sizeof m.parts)
        return 0;
    assert(m.id == 5);
    assert(m.parts[3] % 8u < 8u);
    return 0;
}
