/* What the rewritten program calls around its own instructions. */

static u32 blamed_access, blamed_uninitialised, blame_depth;

LOCAL u8 *spare(void) { /* somewhere to go for an access that must not happen */
    static u32 turn;
    return scratch + (turn++ % 4) * (sizeof scratch / 4);
}

void __replay_fire(u32 site) { fire(site); }
void __replay_fire_if(u8 condition, u32 site) {
    if (condition) fire(site);
}

__attribute__((noreturn)) void __replay_end(u32 why) { finish(why, 0); }

void __replay_assume(u8 condition) {
    if (!condition) finish(END_ASSUMPTION, 0);
}

/* A call of a library function's model: what goes wrong inside is charged to the call, but not what goes wrong
   in a function of the program that the model calls back. */
void __replay_blame(u32 access, u32 uninitialised) {
    if (blame_depth++ == 0) {
        blamed_access = access;
        blamed_uninitialised = uninitialised;
    }
}
void __replay_unblame(void) {
    if (blame_depth && --blame_depth == 0) blamed_access = blamed_uninitialised = 0;
}

/* Structs from outside of which a library function was given a member: it has no more of the object than what
   lies between the first and the last of them. */
static struct { word first, end; } lent[8];
static u32 lent_count;

void __replay_lend(void *pointer, u64 before, u64 size) {
    word first = (word)pointer - (word)before;
    if (lent_count == sizeof lent / sizeof *lent) return;
    lent[lent_count].first = first;
    lent[lent_count++].end = first + (word)size;
}
void __replay_unlend(void) { lent_count = 0; }

LOCAL word lent_room(const struct object *o, word address, word size) {
    word first = 0, end = 0;
    if (o->kind != OUTSIDE) return size;
    for (u32 i = 0; i < lent_count; i++) {
        if (!holds(o, lent[i].first, 0)) continue;
        if (!end || lent[i].first < first) first = lent[i].first;
        if (lent[i].end > end) end = lent[i].end;
    }
    if (!end) return size;
    if (address < first || address >= end) return 0;
    return end - address < size ? end - address : size;
}

LOCAL u32 charged_to(u32 site, u32 blamed, u32 function) { return site || __replay_own[function] ? site : blamed; }

LOCAL void bad_access(word address, u32 site, u32 function) {
    if ((flags & FLAG_RANDOM) && address >= PAGE && !nearest(address)) finish(END_WILD, function);
    u32 charged = charged_to(site, blamed_access, function);
    if (charged) fire(charged);
    else note(NOTE_ACCESS, function);
}

/* What steps on from a member of a struct from outside stays in that struct. */
void __replay_within(void *pointer, u64 size, void *member, u64 before, u64 whole, u32 site, u32 function) {
    struct object *o;
    word at = (word)pointer - ((word)member - (word)before);
    if (where((word)member, 1, &o) != VALID || o->kind != OUTSIDE) return;
    if (size > whole || at > (word)(whole - size)) bad_access((word)pointer, site, function);
}

LOCAL int take_event(u32 kind, u32 function, u8 *to, word size) {
    struct event *e = next_event(kind, function);
    if (!e) return 0;
    cursor = e->value;
    return take_value(to, size);
}

/* The value of a load that must not or cannot read memory: recorded, random, or zero. */
LOCAL u8 *made_up(u32 kind, u32 function, word size) {
    u8 *to = spare();
    if (size > sizeof scratch / 4) return to;
    if (!take_event(kind, function, to, size)) {
        fill_bytes(to, 0, size);
        if (flags & FLAG_RANDOM) random_value(to, size);
    }
    return to;
}

/* Where a load of `size` bytes at `pointer` may read from. */
void *__replay_load(void *pointer, u64 size, u32 access, u32 uninitialised, u32 function) {
    struct object *o;
    word address = (word)pointer;
    enum place_of at = where(address, (word)size, &o);
    if (at == NATIVE) return pointer;
    if (at == DEVICE) return made_up(EVENT_VOLATILE, function, (word)size);
    if (at == INVALID) {
        bad_access(address, access, function);
        return made_up(EVENT_UNDEFINED, function, (word)size);
    }
    u32 charged = charged_to(uninitialised, blamed_uninitialised, function);
    if (charged && !initialised(o, address, (word)size)) fire(charged);
    return pointer;
}

/* The result of an operation that C leaves undefined (`bad`): recorded, random, or what the machine makes of it. */
u64 __replay_arbitrary(u64 value, u8 bad, u32 size, u32 function) {
    if (!bad || size > sizeof value) return value;
    u64 other = 0;
    if (take_event(EVENT_UNDEFINED, function, (u8 *)&other, size)) return other;
    return flags & FLAG_RANDOM ? random_bits() : value;
}

/* Whatever the pointer, a recorded value comes first; then random ones; then what memory holds. */
void *__replay_volatile_load(void *pointer, u64 size, u32 access, u32 uninitialised, u32 function) {
    u8 *to = spare();
    if (size <= sizeof scratch / 4 && take_event(EVENT_VOLATILE, function, to, (word)size)) {
        struct object *o;
        if (where((word)pointer, (word)size, &o) == INVALID) bad_access((word)pointer, access, function);
        return to;
    }
    u8 *from = __replay_load(pointer, size, access, uninitialised, function);
    if (from != pointer || !(flags & FLAG_RANDOM) || size > sizeof scratch / 4) return from;
    random_value(to, (word)size);
    return to;
}

/* Where a store of `size` bytes to `pointer` may write to. */
void *__replay_store(void *pointer, u64 size, u32 access, u32 function) {
    struct object *o;
    enum place_of at = where((word)pointer, (word)size, &o);
    if (at == NATIVE) return pointer;
    if (at == DEVICE) return spare();
    if (at == INVALID || o->fixed || (!__replay_own[function] && lent_room(o, (word)pointer, (word)size) < size)) {
        bad_access((word)pointer, access, function);
        return spare();
    }
    mark(o, (word)pointer, 1, (word)size);
    return pointer;
}

/* What is about to be read will be written: it must not be constant. What is invalid is said by the read. */
void __replay_writable(void *pointer, u64 size, u32 access, u32 function) {
    struct object *o;
    if (where((word)pointer, (word)size, &o) == VALID && o->fixed) bad_access((word)pointer, access, function);
}

/* How many bytes of a block may be accessed: what lies outside its object is left out. */
LOCAL word reachable(void *pointer, word size, int writing, u32 site, u32 function, struct object **o) {
    word address = (word)pointer;
    enum place_of at = where(address, size, o);
    if (at == NATIVE) return size;
    if (at == DEVICE) return 0;
    int fixed = writing && *o && (*o)->fixed;
    if (at == INVALID || fixed) bad_access(address, site, function);
    if (fixed || !holds(*o, address, 0)) return 0;
    word left = (*o)->base + (*o)->size - address, room = lent_room(*o, address, size);
    if (at == VALID && room < size) bad_access(address, site, function);
    if (room < left) left = room;
    return left < size ? left : size;
}

/* A copy between stretches of one object that overlap and do not coincide. Random inputs do not keep to what is
   assumed of those from outside. */
void __replay_apart(void *to, void *from, u64 count, u32 site, u32 function) {
    word a = (word)to, b = (word)from;
    struct object *o;
    if (a == b || !count || (a - b >= (word)count && b - a >= (word)count)) return;
    if (where(a, 1, &o) != VALID || !holds(o, b, 0) || (o->kind == OUTSIDE && (flags & FLAG_RANDOM))) return;
    bad_access(a, site, function);
}

/* The same of those that must not coincide either; others are looked at when they are copied. */
void __replay_distinct(void *to, void *from, u64 count, u32 function) {
    struct object *o;
    if (to != from || !count || where((word)to, 1, &o) != VALID || (o->kind == OUTSIDE && (flags & FLAG_RANDOM))) return;
    bad_access((word)to, 0, function);
}

void __replay_copy(void *to, void *from, u64 count, u32 to_site, u32 from_site, u32 uninitialised, u32 function) {
    struct object *target = 0, *source = 0;
    if (!count) return;
    word size = reachable(from, (word)count, 0, from_site, function, &source);
    u32 charged = charged_to(uninitialised, blamed_uninitialised, function);
    if (size && source && charged && !initialised(source, (word)from, size)) fire(charged);
    word room = reachable(to, (word)count, 1, to_site, function, &target);
    if (room < size) size = room;
    copy_bytes(to, from, size);
    if (!target || !size) return;
    if (!source || initialised(source, (word)from, size)) {
        mark(target, (word)to, 1, size);
        return;
    }
    break_up(target);
    copy_bytes(shadow_of((word)to), shadow_of((word)from), size);
}

void __replay_fill(void *to, u8 value, u64 count, u32 site, u32 function) {
    struct object *target = 0;
    word size = count ? reachable(to, (word)count, 1, site, function, &target) : 0;
    fill_bytes(to, value, size);
    if (size && target) mark(target, (word)to, 1, size);
}

/* Memory that LLVM's own instructions wrote (va_start). */
void __replay_written(void *pointer, u64 size) {
    struct object *o;
    if (where((word)pointer, (word)size, &o) == VALID) mark(o, (word)pointer, 1, (word)size);
}

static u32 *made; /* by alloca number: how many were made */

LOCAL u64 count_made(u32 number) { return made[number]++; }

void *__replay_alloca(u64 size, u64 align, u32 number) {
    struct object *o = new_on_stack((word)size, (word)align);
    o->number = number;
    give_contents(AT_LOCAL, number, count_made(number), o->base, o->size);
    return (void *)o->base;
}

/* A block's variable begins without a value, and ends with the block. */
void __replay_scope_begin(const void *p) {
    struct object *o = nearest((word)p);
    if (!o || o->kind != STACK || o->base != (word)p) return;
    o->state = LIVE;
    o->whole = 0;
    fill_bytes(shadow_of(o->base), 0, o->size);
    give_contents(AT_LOCAL, o->number, count_made(o->number), o->base, o->size);
}

/* A scalar that stays where the compiler puts it. */
void __replay_fresh(void *pointer, u64 size, u32 number) {
    give_contents(AT_LOCAL, number, count_made(number), (word)pointer, (word)size);
}

/* A by-value argument: the callee's own copy. */
void *__replay_by_value(void *from, u64 size, u64 align, u32 function) {
    struct object *copy = new_on_stack((word)size, (word)align);
    copy->number = ~0u; /* of no alloca */
    __replay_copy((void *)copy->base, from, size, 0, 0, 0, function);
    return (void *)copy->base;
}

/* Arbitrary bytes come in: those recorded for this call, whatever object they were recorded for. */
void __replay_havoc(u32 function, void *to, u64 count) {
    struct object *target = 0;
    struct event *e = next_event(EVENT_RETURN, function);
    word room = count ? reachable(to, (word)count, 1, 0, function, &target) : 0;
    if (room && target) mark(target, (word)to, 1, room);
    if (flags & FLAG_RANDOM)
        for (word i = 0; i < room; i++) ((u8 *)to)[i] = (u8)random_bits();
    if (!e) return;
    cursor = e->value;
    skip_value();
    for (u64 writes = take(); writes--;) {
        cursor += 2;
        word offset = (word)take(), size;
        const u8 *bytes = take_bytes(&size);
        if (offset < room) copy_bytes((u8 *)to + offset, bytes, size < room - offset ? size : room - offset);
    }
}

/* Whether the characters of a string are known, as the engine saw it; in a run they all are. */
u8 __replay_known(u32 function) {
    u8 known = 1;
    take_event(EVENT_RETURN, function, &known, sizeof known);
    return known;
}

LOCAL int is_function(word address) {
    for (u32 i = 0; i < __replay_function_count; i++)
        if ((word)__replay_functions[i] == address) return 1;
    return 0;
}

/* A model assumes something about a result: from here on the run shows nothing of the real function. */
void __replay_assumed(u32 function) { note(NOTE_ASSUMED, function); }

/* What a function of the math library returns for these bits; vouch is asked for what it has not told yet. */
u64 __replay_real(u32 function, u64 a, u64 b) {
    for (u32 i = 0; i < answer_count; i++)
        if (answers[4 * i] == function && answers[4 * i + 1] == a && answers[4 * i + 2] == b) return answers[4 * i + 3];
    tell('A', (u32)a, (u32)(a >> 32));
    tell('B', (u32)b, (u32)(b >> 32));
    tell('Q', function, 0);
    finish(END_QUESTION, function);
}

/* What to call instead of `pointer`: itself when it is a function, else `other`. */
void *__replay_callee(void *pointer, void *other, u32 access, u32 function) {
    if (is_function((word)pointer)) return pointer;
    if ((word)pointer < PAGE || nearest((word)pointer)) bad_access((word)pointer, access, function);
    return other;
}

/* Pointers from outside are valid: a string without zeros in it. */
LOCAL void *random_object(void) {
    struct object *o = new_upward(PAGE, 16, OUTSIDE);
    if (!o) finish(END_SPACE, 5);
    o->whole = 1;
    for (word i = 0; i + 1 < PAGE; i++) ((u8 *)o->base)[i] = (u8)(random_bits() | 1);
    ((u8 *)o->base)[random_bits() % 16 + 16] = 0;
    return (void *)o->base;
}

/* A function without a body runs: its recorded writes happen, its recorded result goes to `result`. */
void __replay_return(u32 function, void *result, u64 size, u8 pointer_result, void *const *pointers,
                     u32 pointer_count) {
    struct event *e = next_event(EVENT_RETURN, function);
    fill_bytes(result, 0, (word)size);
    if (!e) {
        if ((flags & FLAG_RANDOM) && pointer_result) *(void **)result = random_object();
        else if (flags & FLAG_RANDOM) random_value(result, (word)size);
        else note(NOTE_MISSING, function);
        return;
    }
    call_arguments = pointers;
    call_argument_count = pointer_count;
    cursor = e->value;
    take_value(result, (word)size);
    for (u64 writes = take(); writes--;) {
        int known;
        word address = take_address(&known), count;
        const u8 *bytes = take_bytes(&count);
        struct object *o = 0;
        if (!known || where(address, count, &o) != VALID) note(NOTE_TARGET, function);
        else copy_bytes((void *)address, bytes, count), mark(o, address, 1, count);
    }
    for (u64 writes = take(); writes--;) {
        int known, also;
        word address = take_address(&known), value = take_address(&also);
        struct object *o = 0;
        if (!known || !also || where(address, sizeof value, &o) != VALID) note(NOTE_TARGET, function);
        else copy_bytes((void *)address, &value, sizeof value), mark(o, address, 1, sizeof value);
    }
    call_argument_count = 0;
}
