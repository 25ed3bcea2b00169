/* Objects: where memory is valid, and which of its bytes were written.

   Every object that the program can point to lies in the arena (stack, heap, memory from outside) or is a
   global between wide gaps. An arena slot holds one object with unused space before and behind it, and slots
   are a prime number of pages wide, so that a pointer that runs out of its object by some power of two does
   not end in another one. Shadow memory has one byte for each byte of the arena and of the globals: 1 when it
   was written. It says nothing about objects that are whole. */

static word arena, arena_end, stride;
static i64 shadow, globals_shadow; /* distance from a byte to its shadow */
static struct object *slots;
static word slot_count, heap_next, stack_next; /* heap grows up, stack grows down */
static u32 heap_count;
static struct object *globals;
static word globals_begin, globals_end;
static word native_stack, native_stack_end;
struct range {
    u64 low, high;
};

static const struct range *devices; /* addresses of device registers */
static u32 device_count;
static u8 scratch[1 << 16];

LOCAL void set_up_memory(void) {
    static const u64 sizes[] = {1ull << 43, 1ull << 40, 1ull << 36, 1ull << 33, 1ull << 29, 1ull << 28};
    void *got = 0, *second = 0;
    u64 size = 0;
    for (u32 i = sizeof(word) == 4 ? 4 : 0; i < sizeof sizes / sizeof *sizes && !second; i++) {
        size = sizes[i];
        got = reserve(size);
        second = got ? reserve(size) : 0;
    }
    if (!second) finish(END_SPACE, 0);
    stride = PAGE * (sizeof(word) == 4 ? 17 : size >> 36 ? 257 : 17);
    slot_count = (word)(size / stride);
    arena = (word)got;
    arena_end = arena + slot_count * stride;
    shadow = (i64)(word)second - (i64)arena;
    slots = reserve((u64)slot_count * sizeof *slots);
    globals = reserve(((u64)__replay_global_count + 1) * sizeof *globals);
    if (!slots || !globals) finish(END_SPACE, 0);
    heap_next = 0;
    stack_next = slot_count;
}

LOCAL void register_globals(void) {
    for (u32 i = 0; i < __replay_global_count; i++) {
        struct global *g = &__replay_globals[i];
        struct object *o = &globals[i];
        o->base = (word)g->base;
        o->size = (word)g->size;
        o->state = LIVE;
        o->kind = GLOBAL;
        o->whole = 1;
        o->fixed = g->flags & 1;
        if (g->image) copy_bytes(g->base, g->image, o->size);
        if (i == 0) globals_begin = o->base;
        if (o->base + o->size + PAGE > globals_end) globals_end = o->base + o->size + PAGE;
    }
    void *got = reserve(globals_end - globals_begin + PAGE);
    if (!got) finish(END_SPACE, 0);
    globals_shadow = (i64)(word)got - (i64)globals_begin;
}

LOCAL u8 *shadow_of(word address) {
    int global = address >= globals_begin && address < globals_end;
    return (u8 *)(word)((i64)address + (global ? globals_shadow : shadow));
}

/* The object whose slot or gap the address lies in, or null. */
LOCAL struct object *nearest(word address) {
    if (address >= arena && address < arena_end) {
        struct object *o = &slots[(address - arena) / stride];
        o -= o->head;
        return o->state == FREE_SLOT ? 0 : o;
    }
    if (address < globals_begin || address >= globals_end) return 0;
    u32 low = 0, high = __replay_global_count; /* the program lists them by address */
    while (high - low > 1) {
        u32 middle = low + (high - low) / 2;
        if (globals[middle].base <= address) low = middle;
        else high = middle;
    }
    return &globals[low];
}

LOCAL int holds(const struct object *o, word address, word size) {
    return o && o->state == LIVE && address >= o->base && address - o->base <= o->size &&
           size <= o->size - (address - o->base);
}

LOCAL struct object *place(word first, u32 count, word size, word align, enum kind kind) {
    struct object *o = &slots[first];
    for (u32 i = 0; i < count; i++) slots[first + i].head = i;
    word lead = stride / 2 / PAGE * PAGE;
    if (size <= PAGE / 8 - 64 && align <= 64) lead += (o->uses % 8) * (PAGE / 8);
    word base = arena + first * stride + lead;
    base = (base + align - 1) / align * align;
    if (o->uses && size) fill_bytes(shadow_of(base), 0, size);
    o->base = base;
    o->size = size;
    o->slots = count;
    o->state = LIVE;
    o->kind = (u8)kind;
    o->whole = o->fixed = 0;
    o->site = o->number = o->companion = 0;
    o->uses++;
    return o;
}

LOCAL u32 slots_for(word size) {
    u64 need = ((u64)size + 2 * stride - 1) / stride;
    return need > slot_count ? 0 : (u32)need;
}

/* Null when the object is larger than the arena allows. */
LOCAL struct object *new_upward(word size, word align, enum kind kind) {
    u32 count = slots_for(size);
    if (!count || count > stack_next - heap_next || align > stride / 4) return 0;
    struct object *o = place(heap_next, count, size, align < 16 ? 16 : align, kind);
    heap_next += count;
    return o;
}

LOCAL struct object *new_on_stack(word size, word align) {
    u32 count = slots_for(size);
    if (!count || count > stack_next - heap_next) finish(END_SPACE, 1);
    stack_next -= count;
    return place(stack_next, count, size, align < 16 ? 16 : align, STACK);
}

u64 __replay_frame(void) { return stack_next; }

void __replay_leave(u64 frame) {
    while (stack_next < frame) {
        struct object *o = &slots[stack_next];
        o->state = DEAD;
        stack_next += o->slots;
    }
}

void __replay_scope_end(const void *p) {
    struct object *o = nearest((word)p);
    if (o && o->kind == STACK && o->base == (word)p) o->state = DEAD;
}

enum place_of { VALID, INVALID, DEVICE, NATIVE };

LOCAL enum place_of where(word address, word size, struct object **found) {
    struct object *o = nearest(address);
    *found = o;
    if (holds(o, address, size)) return VALID;
    if (address >= native_stack && address < native_stack_end) return NATIVE;
    if (o || (address >= arena && address < arena_end)) return INVALID;
    for (u32 i = 0; i < device_count; i++)
        if (address >= devices[i].low && address <= devices[i].high) return DEVICE;
    return INVALID;
}

LOCAL int initialised(const struct object *o, word address, word size) {
    if (o->whole) return 1;
    const u8 *s = shadow_of(address);
    for (word i = 0; i < size; i++)
        if (!s[i]) return 0;
    return 1;
}

LOCAL void mark(const struct object *o, word address, u8 value, word size) {
    if (!o->whole) fill_bytes(shadow_of(address), value, size);
}

/* From now on some bytes of the object may be unwritten. */
LOCAL void break_up(struct object *o) {
    if (o->whole) fill_bytes(shadow_of(o->base), 1, o->size);
    o->whole = 0;
}
