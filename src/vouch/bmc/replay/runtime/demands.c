/* What library models demand of their callers, and what they ask about memory. */

static struct {
    const char *text;
    u32 site;
} expectations[1 << 12];
static u32 expectation_count;

/* A call of a model that makes this demand is about to happen, and it is over. */
void __replay_expect(const char *text, u32 site) {
    if (expectation_count < sizeof expectations / sizeof *expectations) {
        expectations[expectation_count].text = text;
        expectations[expectation_count].site = site;
    }
    expectation_count++;
}
void __replay_expected(void) { expectation_count--; }

LOCAL int same_text(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return *a == *b;
}

void __replay_require(u8 holds, const char *text) {
    if (holds) return;
    for (u32 i = expectation_count; i-- > 0;)
        if (i < sizeof expectations / sizeof *expectations && same_text(expectations[i].text, text)) {
            fire(expectations[i].site);
            return;
        }
}

u8 __replay_valid(void *pointer, u64 size) {
    struct object *o;
    return where((word)pointer, (word)size, &o) != INVALID;
}

u8 __replay_starts(void *pointer) { return pointer && heap_start(pointer) != 0; }

u8 __replay_together(void *pointer, void *other) {
    struct object *o = nearest((word)pointer);
    return holds(o, (word)pointer, 0) && nearest((word)other) == o;
}

void *__replay_beside(void *pointer, u64 scale) {
    struct object *o = nearest((word)pointer);
    if (!holds(o, (word)pointer, 0)) return 0;
    if (!o->companion) {
        struct object *made = new_upward(o->size * (word)scale, 16, OUTSIDE);
        if (!made) finish(END_SPACE, 0);
        made->whole = 1;
        made->number = (u32)-1;
        o->companion = (u32)(made - slots) + 1;
    }
    return (void *)(slots[o->companion - 1].base + ((word)pointer - o->base) * (word)scale);
}
