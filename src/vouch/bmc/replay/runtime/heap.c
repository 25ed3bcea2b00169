/* malloc and its family. Memory is never given out twice, so that a freed object stays known as freed. */

LOCAL void *new_heap(word size, word align, int zero) {
    if (size >> (8 * sizeof size - 1)) return 0; /* more than a difference of pointers covers */
    struct object *o = new_upward(size, align, HEAP);
    if (!o) return 0;
    o->number = heap_count++;
    o->whole = (u8)zero;
    o->family = 0;
    if (!zero) give_contents(AT_HEAP, o->number, 0, o->base, size);
    return (void *)o->base;
}

/* Whether the allocation returns null: recorded as a number that is not zero. Random runs are opponents of
 * proofs, which take it that there is enough memory. */
LOCAL int fails(u32 function) {
    u8 failed = 0;
    take_event(EVENT_RETURN, function, &failed, sizeof failed);
    return failed;
}

void *__replay_malloc(u64 size, u32 function) { return fails(function) ? 0 : new_heap((word)size, 16, 0); }

void *__replay_calloc(u64 count, u64 size, u32 function) {
    word total;
    if (fails(function) || __builtin_mul_overflow((word)count, (word)size, &total)) return 0;
    return new_heap(total, 16, 1);
}

void *__replay_aligned(u64 align, u64 size, u32 function) {
    return fails(function) ? 0 : new_heap((word)size, (word)align, 0);
}

/* Objects from outside may have come from malloc there. */
LOCAL struct object *heap_start(void *pointer) {
    struct object *o = nearest((word)pointer);
    int kind = o && o->state == LIVE && (o->kind == HEAP || o->kind == OUTSIDE);
    return kind && o->base == (word)pointer ? o : 0;
}

/* The object comes from another family of functions than malloc's. */
void __replay_family(void *pointer, u32 family) {
    struct object *o = pointer ? heap_start(pointer) : 0;
    if (o) o->family = (u8)family;
}

/* Whether `pointer` may be freed: null or the start of a live heap object of this family. */
void __replay_check_free(void *pointer, u32 family, u32 site) {
    struct object *o = pointer ? heap_start(pointer) : 0;
    if (pointer && !(o && (o->kind == OUTSIDE || o->family == family))) {
        if ((flags & FLAG_RANDOM) && !nearest((word)pointer)) finish(END_WILD, 0);
        fire(site);
    }
}

void __replay_free(void *pointer) {
    struct object *o = pointer ? heap_start(pointer) : 0;
    if (o) o->state = DEAD;
}

void *__replay_realloc(void *pointer, u64 size, u32 function) {
    struct object *old = pointer ? heap_start(pointer) : 0;
    if (fails(function)) {
        if (old && !size) old->state = DEAD;
        return 0;
    }
    u8 *to = new_heap((word)size, 16, 0);
    if (old && to) {
        word keep = old->size < (word)size ? old->size : (word)size;
        __replay_copy(to, pointer, keep, 0, 0, 0, 0);
        old->state = DEAD;
    }
    return to;
}

void *__replay_new(u64 size) { return new_heap((word)size, 16, 0); } /* C++'s new does not return null */

/* Bytes from the pointer to the end of its object. */
u64 __replay_object_size(void *pointer) {
    struct object *o = nearest((word)pointer);
    return holds(o, (word)pointer, 0) ? o->base + o->size - (word)pointer : 0;
}

void __replay_allocated(void *pointer, u32 site) {
    struct object *o = pointer ? heap_start(pointer) : 0;
    if (o) o->site = site;
}

/* Leaks: live heap objects that no global, outside object, result, or live object found so points to. */

enum { REACHED = 1, FOLLOWED = 2 };

LOCAL u32 reach(word base, word size) {
    u32 more = 0;
    word first = (base + sizeof(word) - 1) / sizeof(word) * sizeof(word);
    for (word at = first; at + sizeof(word) <= base + size; at += sizeof(word)) {
        word value = *(word *)at;
        struct object *o = value >= arena && value < arena_end ? nearest(value) : 0;
        if (o && o->kind == HEAP && o->state == LIVE && !o->reached) {
            o->reached = REACHED;
            more++;
        }
    }
    return more;
}

LOCAL void report_leaks(const void *result, word result_size) {
    u32 any = 0;
    for (word i = 0; i < heap_next; i += slots[i].slots) any |= slots[i].site;
    if (!any) return;
    u32 more = reach((word)result, result_size);
    for (u32 i = 0; i < __replay_global_count; i++) more += reach(globals[i].base, globals[i].size);
    for (word i = 0; i < heap_next; i += slots[i].slots)
        if (slots[i].kind == OUTSIDE) more += reach(slots[i].base, slots[i].size);
    while (more) {
        more = 0;
        for (word i = 0; i < heap_next; i += slots[i].slots)
            if (slots[i].reached == REACHED) {
                slots[i].reached = FOLLOWED;
                more += reach(slots[i].base, slots[i].size);
            }
    }
    for (word i = 0; i < heap_next; i += slots[i].slots)
        if (slots[i].kind == HEAP && slots[i].state == LIVE && !slots[i].reached) fire(slots[i].site);
}
