/* What the run tells, at once, on standard output (which the program cannot use): three 32-bit numbers each. */

static u8 *fired; /* by check number */
static u32 wanted, site_count;
static u32 notes_left = 64;

LOCAL void tell(u32 tag, u32 a, u32 b) {
    u32 record[3] = {tag, a, b};
    system_call(SYS_WRITE, 1, (i64)(word)record, sizeof record, 0, 0, 0);
}

LOCAL __attribute__((noreturn)) void finish(enum end why, u32 detail) {
    tell('E', why, detail);
    for (;;) system_call(SYS_EXIT, 0, 0, 0, 0, 0, 0);
}

LOCAL void note(enum note what, u32 detail) {
    if (notes_left) {
        notes_left--;
        tell('N', what, detail);
    }
}

/* Check number `site` (from 1) is violated now. */
LOCAL void fire(u32 site) {
    if (!site || site > site_count || fired[site]) return;
    fired[site] = 1;
    tell('F', site, 0);
    if (site == wanted) finish(END_CONFIRMED, site);
}

static u64 random_state;

LOCAL u64 random_bits(void) { /* splitmix64 */
    u64 z = (random_state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

/* Small numbers, numbers near a border and plain noise, so that random runs come far. */
LOCAL void random_value(u8 *to, word size) {
    u64 kind = random_bits() % 8, bits = random_bits();
    if (kind < 3) bits %= 17;
    else if (kind == 3) bits = (u64)0 - bits % 17;
    else if (kind == 4) bits = ((u64)1 << (bits % 64)) - (bits >> 62);
    else if (kind == 5) bits %= 256;
    for (word i = 0; i < size; i++) to[i] = i < 8 ? (u8)(bits >> (8 * i)) : (kind < 3 ? 0 : (u8)random_bits());
}
