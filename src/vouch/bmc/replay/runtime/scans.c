/* What library models ask of memory: the meaning of the __vouch_ functions that scan, unit by unit. */

/* Reads a unit as a number; 0 where it must not be read, which is charged to the call of the model. */
LOCAL int look(const u8 *at, u64 size, u64 *value, u32 function) {
    struct object *o = 0;
    enum place_of place = where((word)at, (word)size, &o);
    *value = 0;
    if (place == DEVICE) return 0;
    if (place == INVALID) {
        bad_access((word)at, 0, function);
        return 0;
    }
    if (place == VALID && blamed_uninitialised && !initialised(o, (word)at, (word)size)) fire(blamed_uninitialised);
    copy_bytes(value, at, (word)size);
    return 1;
}

u64 __replay_length(const u8 *s, u64 limit, u64 size, u32 function) {
    u64 n = 0, unit;
    while (n < limit && look(s + n * size, size, &unit, function) && unit) n++;
    return n;
}

LOCAL u64 as_unit(u64 c, u64 size) { return size >= 8 ? c : c & ((1ull << 8 * size) - 1); }

u64 __replay_find(const u8 *p, u64 c, u64 limit, u64 size, u64 string, u32 function) {
    u64 unit;
    for (u64 i = 0; i < limit && look(p + i * size, size, &unit, function); i++) {
        if (unit == as_unit(c, size)) return i;
        if (string && !unit) break;
    }
    return ~0ull;
}

u64 __replay_find_last(const u8 *p, u64 c, u64 n, u64 size, u32 function) {
    u64 found = ~0ull, unit;
    for (u64 i = 0; i < n && where((word)(p + i * size), (word)size, &(struct object *){0}) != INVALID; i++)
        if (look(p + i * size, size, &unit, function) && unit == as_unit(c, size)) found = i;
    return found;
}

u64 __replay_span(const u8 *s, const u8 *set, u64 in, u32 function) {
    u64 members = __replay_length(set, ~0ull, 1, function), n = 0, unit;
    for (; look(s + n, 1, &unit, function) && unit; n++) {
        u64 member = 0;
        for (u64 i = 0; i < members; i++) member |= set[i] == unit;
        if (member != (in != 0)) break;
    }
    return n;
}

LOCAL u64 folded(u64 c, u64 fold) { return fold && c >= 'A' && c <= 'Z' ? c + 32 : c; }

u64 __replay_compare(const u8 *a, const u8 *b, u64 limit, u64 size, u64 string, u64 fold, u32 function) {
    for (u64 i = 0; i < limit; i++) {
        u64 x, y;
        struct object *o;
        if (!string) reachable((void *)(a + i * size), (word)size, 0, 0, function, &o);
        if (!string) reachable((void *)(b + i * size), (word)size, 0, 0, function, &o);
        int first = look(a + i * size, size, &x, function), second = look(b + i * size, size, &y, function);
        x = folded(x, fold), y = folded(y, fold);
        if (x != y) {
            int less = size == 4 ? (int)x < (int)y : x < y;
            return size == 1 ? x - y : less ? ~0ull : 1;
        }
        if (!first || !second || (string && !x)) break;
    }
    return 0;
}

void __replay_access(void *p, u64 n, u64 write, u32 function) {
    struct object *o;
    if (n) reachable(p, (word)n, write != 0, 0, function, &o);
}

/* Text as recorded; whatever it is, no character of it is zero. */
void __replay_text(u32 function, u8 *to, u64 count) {
    struct object *o = 0;
    __replay_havoc(function, to, count);
    for (u64 i = 0; i < count && where((word)(to + i), 1, &o) == VALID && !o->fixed; i++)
        if (!to[i]) to[i] = 'a';
}
