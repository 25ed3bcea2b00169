// Code outside calls back what an earlier function handed out.
#include <assert.h>

static int state;

static void on_event(int v) { state = v; }

void register_handler(void (*f)(int));
void poll(void);

static int wait_for(int n) {
    int seen = 0;
    state = 0;
    for (int i = 0; i < n; i++) {
        poll();
        seen = 1;
    }
    assert(state == 0); // expect: assertion unsafe
    return seen;
}

int api(int n) {
    register_handler(on_event);
    return wait_for(n);
}
