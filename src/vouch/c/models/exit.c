/* Functions that run when the program ends: the last one registered first. */
#include "vouch.h"

struct handler {
    void (*plain)(void);
    void (*with)(void *);
    void *argument;
};

enum { MOST = 32 }; /* so many must be possible */

static struct handler handlers[MOST];
static unsigned count;

/* exit and the return from main call this. */
void __vouch_at_exit(void) {
    while (count) {
        struct handler *last = &handlers[--count];
        if (last->plain) last->plain();
        else last->with(last->argument);
    }
}

/* `at_exit` is passed so that it is part of every program that registers something. */
static int registered(struct handler handler, void (*at_exit)(void)) {
    (void)at_exit;
    if (count == MOST) __vouch_unsupported();
    handlers[count++] = handler;
    return 0;
}

int atexit(void (*function)(void)) {
    return registered((struct handler){.plain = function}, __vouch_at_exit);
}

int __cxa_atexit(void (*function)(void *), void *argument, void *object) {
    (void)object;
    return registered((struct handler){.with = function, .argument = argument}, __vouch_at_exit);
}
