// A function that was handed out may be called later, by any external function.
#include <assert.h>

static int events;
void on_event(void (*handler)(void));
void wait(void);

static void handler(void)
{
    events = 5;
}

void run(void)
{
    on_event(handler);
    events = 0;
    wait();
    assert(events == 0); // expect: assertion unsafe
}

#ifdef EVIDENCE
static void (*kept)(void);
void on_event(void (*handler)(void))
{
    kept = handler;
}
void wait(void)
{
    kept();
}
int main(void)
{
    run();
}
#endif
