/* Structs in registers: which of their bytes were written, from the load that takes a struct out of memory, through
   calls and returns, to the store that puts it back. A register's marks are an array like shadow memory. */

enum { MARKS = 128, PARAMETERS = 64 }; /* bytes of a struct in registers; emitted code reserves as many */

static void *called, *returning; /* whom the marks below are meant for, and from whom they come */
static u8 passed[PARAMETERS][MARKS], is_passed[PARAMETERS], returned[MARKS];

LOCAL void move_marks(u8 *to, const u8 *from, u64 size) {
    fill_bytes(to, 1, MARKS);
    if (size <= MARKS) copy_bytes(to, from, (word)size);
}

void __replay_shadow_clear(u8 *marks) { fill_bytes(marks, 1, MARKS); }

void __replay_shadow_load(u8 *marks, void *pointer, u64 size) {
    struct object *o;
    fill_bytes(marks, 1, MARKS);
    if (size <= MARKS && where((word)pointer, (word)size, &o) == VALID && !o->whole)
        copy_bytes(marks, shadow_of((word)pointer), (word)size);
}

/* After the store itself, which marked all of it as written. */
void __replay_shadow_store(const u8 *marks, void *pointer, u64 size) {
    struct object *o;
    if (size > MARKS || where((word)pointer, (word)size, &o) != VALID || o->fixed) return;
    for (u64 i = 0; i < size; i++)
        if (!marks[i]) {
            break_up(o);
            shadow_of((word)pointer)[i] = 0;
        }
}

/* `size` bytes `from` some byte on become those `to` some byte on; the others stay as they are. */
void __replay_shadow_part(u8 *marks, u64 to, const u8 *others, u64 from, u64 size) {
    for (u64 i = 0; i < size && to + i < MARKS && from + i < MARKS; i++) marks[to + i] = others[from + i];
}

void __replay_pass(void *function, u32 index, const u8 *marks, u64 size) {
    if (index >= PARAMETERS) return;
    if (called != function) fill_bytes(is_passed, 0, sizeof is_passed);
    called = function;
    is_passed[index] = 1;
    move_marks(passed[index], marks, size);
}

void __replay_passed(void *function, u32 index, u8 *marks) {
    int known = called == function && index < PARAMETERS && is_passed[index];
    if (known) copy_bytes(marks, passed[index], MARKS);
    else fill_bytes(marks, 1, MARKS);
    if (known) is_passed[index] = 0;
}

void __replay_give(void *function, const u8 *marks, u64 size) {
    returning = function;
    move_marks(returned, marks, size);
}

void __replay_given(void *function, u8 *marks) {
    if (returning == function) copy_bytes(marks, returned, MARKS);
    else fill_bytes(marks, 1, MARKS);
    returning = 0;
}

/* Where a function that is called from outside puts its result: nothing is there yet. */
void __replay_result(void *pointer) {
    struct object *o = nearest((word)pointer);
    if (!o) return;
    o->whole = 0;
    fill_bytes(shadow_of(o->base), 0, o->size);
}
