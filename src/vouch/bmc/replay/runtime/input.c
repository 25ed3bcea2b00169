/* The recorded inputs, as wire.py writes them: 64-bit numbers, byte strings padded to eight. */

struct event {
    u32 kind, function;
    const u64 *value; /* the value and, behind it, the writes */
    u8 used;
};

struct contents { /* what an object holds that the program makes without writing to it */
    u32 kind, number;
    u64 instance;
    const u64 *data;
};

enum { EVENT_RETURN, EVENT_VOLATILE, EVENT_UNDEFINED };
enum { VALUE_NONE, VALUE_BYTES, VALUE_ADDRESS };
enum { AT_NUMBER, AT_OBJECT, AT_GLOBAL, AT_FUNCTION, AT_ARGUMENT, AT_LOCAL, AT_HEAP };
enum { FLAG_RANDOM = 1, FLAG_CONSTRUCTORS = 2, FLAG_MAIN = 4 };

static u64 flags, entry_number;
static struct event *events;
static u32 event_count, first_unused;
static struct contents *contents;
static u32 contents_count;
static struct object **outside;
static u32 outside_count;
static u8 *arguments;
static const u64 *answers; /* of the math library, each of four numbers: function, two arguments, result */
static u32 answer_count;
static const u64 *cursor, *input_end, *object_contents;
static void *const *call_arguments; /* pointers passed to the function without a body that runs now */
static u32 call_argument_count;
static u8 a_function_outside[16]; /* its address; nobody gets there */

LOCAL u64 take(void) {
    if (cursor >= input_end) finish(END_INPUT, 0);
    return *cursor++;
}

LOCAL const u8 *take_bytes(word *size) {
    *size = (word)take();
    const u8 *bytes = (const u8 *)cursor;
    if (*size > (word)((const u8 *)input_end - bytes)) finish(END_INPUT, 1);
    cursor += (*size + 7) / 8;
    return bytes;
}

/* Reads an address; 0 with *known cleared when it names something that does not exist now. */
LOCAL word take_address(int *known) {
    u64 at = take(), index = take(), offset = take();
    word base = 0;
    *known = 1;
    if (at == AT_OBJECT && index < outside_count && outside[index]) base = outside[index]->base;
    else if (at == AT_GLOBAL && index < __replay_global_count) base = (word)__replay_globals[index].base;
    else if (at == AT_FUNCTION && index < __replay_function_count) base = (word)__replay_functions[index];
    else if (at == AT_FUNCTION && index == __replay_function_count) base = (word)a_function_outside;
    else if (at == AT_ARGUMENT && index < call_argument_count) base = (word)call_arguments[index];
    else if (at == AT_LOCAL || at == AT_HEAP) {
        struct object *found = 0;
        word from = at == AT_HEAP ? 0 : stack_next, to = at == AT_HEAP ? heap_next : slot_count;
        for (word i = from; i < to && !found; i += slots[i].slots) /* the youngest local comes first */
            if (slots[i].kind == (at == AT_HEAP ? HEAP : STACK) && slots[i].number == index) found = &slots[i];
        if (found) base = found->base;
        else *known = 0;
    } else if (at != AT_NUMBER) *known = 0;
    return base + (word)offset;
}

/* Reads a value into `to`; returns whether there was one. */
LOCAL int take_value(void *to, word size) {
    u64 kind = take();
    if (kind == VALUE_NONE) return 0;
    if (kind == VALUE_ADDRESS) {
        int known;
        word address = take_address(&known);
        fill_bytes(to, 0, size);
        copy_bytes(to, &address, size < sizeof address ? size : sizeof address);
        return 1;
    }
    word have;
    const u8 *bytes = take_bytes(&have);
    fill_bytes(to, 0, size);
    copy_bytes(to, bytes, have < size ? have : size);
    return 1;
}

LOCAL void skip_value(void) {
    u64 kind = take();
    word size;
    if (kind == VALUE_ADDRESS) cursor += 3;
    else if (kind == VALUE_BYTES) take_bytes(&size);
}

/* The first bytes, pointers, and pieces behind the first bytes, put to an object that is large enough. No piece
   overlaps a pointer. */
LOCAL void take_contents(word base, word limit) {
    word size;
    const u8 *data = take_bytes(&size);
    copy_bytes((void *)base, data, size < limit ? size : limit);
    u64 pointers = take();
    while (pointers--) {
        word offset = (word)take();
        int known;
        word address = take_address(&known);
        if (offset + sizeof address <= limit) copy_bytes((u8 *)base + offset, &address, sizeof address);
    }
    u64 pieces = take();
    while (pieces--) {
        word offset = (word)take();
        data = take_bytes(&size);
        if (offset <= limit && size <= limit - offset) copy_bytes((u8 *)base + offset, data, size);
    }
}

LOCAL void skip_contents(void) {
    word size;
    take_bytes(&size);
    u64 pointers = take();
    cursor += 4 * pointers;
    u64 pieces = take();
    while (pieces--) {
        take();
        take_bytes(&size);
    }
}

LOCAL void *table(u64 count, word size) {
    void *got = reserve(count * size + PAGE);
    if (!got) finish(END_SPACE, 2);
    return got;
}

/* Objects may point to each other, so all are made before any is filled; constructors run in between. */
LOCAL void make_objects(void) {
    outside_count = (u32)take();
    outside = table(outside_count, sizeof *outside);
    object_contents = cursor;
    for (u32 i = 0; i < outside_count; i++) {
        u64 global = take();
        word size = (word)take();
        if (!global) {
            outside[i] = new_upward(size, 16, OUTSIDE);
            if (!outside[i]) finish(END_SPACE, 3);
            outside[i]->whole = 1;
        } else if (global <= __replay_global_count) {
            outside[i] = &globals[global - 1];
            if (outside[i]->size == 0) outside[i]->size = size; /* extern int table[]; */
        } else finish(END_INPUT, 2);
        skip_contents();
    }
}

LOCAL void fill_objects(void) {
    cursor = object_contents;
    for (u32 i = 0; i < outside_count; i++) {
        cursor += 2;
        take_contents(outside[i]->base, outside[i]->size);
    }
}

LOCAL void read_contents(void) {
    contents_count = (u32)take();
    contents = table(contents_count, sizeof *contents);
    for (u32 i = 0; i < contents_count; i++) {
        contents[i].kind = (u32)take();
        contents[i].number = (u32)take();
        contents[i].instance = take();
        contents[i].data = cursor;
        skip_contents();
    }
}

LOCAL void read_events(void) {
    event_count = (u32)take();
    events = table(event_count, sizeof *events);
    for (u32 i = 0; i < event_count; i++) {
        events[i].kind = (u32)take();
        events[i].function = (u32)take();
        u64 length = take(); /* of what follows, in numbers */
        events[i].value = cursor;
        if (length > (u64)(input_end - cursor)) finish(END_INPUT, 3);
        cursor += length;
    }
}

LOCAL void read_arguments(void) {
    u64 count = take();
    arguments = table(1, (word)take());
    while (count--) {
        u64 offset = take(), size = take();
        if (!take_value(arguments + offset, (word)size) && (flags & FLAG_RANDOM))
            for (u64 i = 0; i < size; i++) arguments[offset + i] = (u8)random_bits();
    }
}

LOCAL u64 capacity(void) { return sizeof(word) == 4 ? 1 << 26 : 1ull << 32; }

LOCAL void load_input(void) {
    u8 *buffer = table(1, (word)capacity());
    u64 size = 0;
    for (;;) {
        i64 got = system_call(SYS_READ, 0, (i64)(word)(buffer + size), (i64)(capacity() - size), 0, 0, 0);
        if (got <= 0) break;
        size += (u64)got;
    }
    cursor = (const u64 *)buffer;
    input_end = cursor + size / 8;
}

/* What an object made by the program holds before anybody writes to it. `made` counts equal objects before. */
LOCAL void give_contents(u32 kind, u32 number, u64 made, word base, word size) {
    for (u32 i = 0; i < contents_count; i++)
        if (contents[i].kind == kind && contents[i].number == number &&
            (contents[i].instance == made || contents[i].instance == ~0ull)) {
            cursor = contents[i].data;
            take_contents(base, size);
        }
}

/* The next recorded event of this kind in or of this function, or null. */
LOCAL struct event *next_event(u32 kind, u32 function) {
    while (first_unused < event_count && events[first_unused].used) first_unused++;
    for (u32 i = first_unused; i < event_count; i++) {
        struct event *e = &events[i];
        if (e->used || e->kind != kind || e->function != function) continue;
        if (i != first_unused) note(NOTE_ORDER, function);
        e->used = 1;
        return e;
    }
    return 0;
}
