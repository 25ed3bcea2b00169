/* Loads a program into a process that can do nothing but compute, and jumps to it.

   launch PROGRAM SECONDS

   Compiled from nothing but vouch's own sources. It reads the program (a static ELF file) itself instead of having the
   kernel do it, so that no exec has to be allowed once the limits are in force: they are set before the first
   instruction of the program runs, and for good. What is left to the program: read from 0, write to 1, anonymous memory
   that is not executable, exit. Every other system call ends the process. */

#include "../runtime/runtime.h"

#include "../runtime/system.c"

#if defined(__x86_64__)
enum { ARCH = 0xc000003e, MACHINE = 62, SYS_OPENAT = 257, SYS_LSEEK = 8, SYS_MPROTECT = 10, SYS_MUNMAP = 11 };
enum { SYS_EXIT_GROUP = 231, SYS_PRLIMIT = 302 };
#elif defined(__i386__)
enum { ARCH = 0x40000003, MACHINE = 3, SYS_OPENAT = 295, SYS_LSEEK = 19, SYS_MPROTECT = 125, SYS_MUNMAP = 91 };
enum { SYS_EXIT_GROUP = 252, SYS_PRLIMIT = 340 };
#elif defined(__aarch64__)
enum { ARCH = 0xc00000b7, MACHINE = 183, SYS_OPENAT = 56, SYS_LSEEK = 62, SYS_MPROTECT = 226, SYS_MUNMAP = 215 };
enum { SYS_EXIT_GROUP = 94, SYS_PRLIMIT = 261 };
#endif

/* The parts of an ELF file that are used here. */
struct file_header {
    u8 ident[16];
    u16 type, machine;
    u32 version;
    word entry, headers, sections;
    u32 flags;
    u16 own_size, header_size, header_count, rest[3];
};
#if __SIZEOF_POINTER__ == 8
struct header {
    u32 type, flags;
    u64 offset, address, physical, stored, size, align;
};
#else
struct header {
    u32 type, offset, address, physical, stored, size, flags, align;
};
#endif
enum { LOAD = 1, EXECUTABLE = 2, RUN = 1, WRITE = 2 };

static void tell_end(enum end why) {
    u32 record[3] = {'E', why, 0};
    system_call(SYS_WRITE, 1, (i64)(word)record, sizeof record, 0, 0, 0);
    for (;;) system_call(SYS_EXIT, 0, 0, 0, 0, 0, 0);
}

static void limit(int what, u64 value) {
    u64 both[2] = {value, value};
    system_call(SYS_PRLIMIT, 0, what, (i64)(word)both, 0, -1, 0);
}

/* What vouch allows itself is less than it may: a run has its objects far apart, and uses little of what lies between. */
static void lift(int what) {
    u64 both[2];
    if (system_call(SYS_PRLIMIT, 0, what, 0, (i64)(word)both, -1, 0) == 0) {
        both[0] = both[1];
        system_call(SYS_PRLIMIT, 0, what, (i64)(word)both, 0, -1, 0);
    }
}

static void set_limits(const char *seconds) {
    u64 time = 0;
    for (; *seconds >= '0' && *seconds <= '9'; seconds++) time = time * 10 + (u64)(*seconds - '0');
    limit(0, time ? time : 1); /* processor time */
    limit(1, 0);               /* size of files */
    limit(4, 0);               /* core file */
    limit(7, 3);               /* open files */
    lift(9);                   /* address space; what it really uses is watched from outside */
}

/* ---------------------------------------------------------------- loading */

static u8 *contents;
static u64 length;

static void read_file(const char *path) {
    i64 file = system_call(SYS_OPENAT, -100, (i64)(word)path, 0x80000 /* close on exec */, 0, -1, 0);
    i64 size = system_call(SYS_LSEEK, file, 0, 2, 0, -1, 0);
    if (file < 0 || size < (i64)sizeof(struct file_header)) tell_end(END_INPUT);
    system_call(SYS_LSEEK, file, 0, 0, 0, -1, 0);
    contents = reserve((u64)size);
    if (!contents) tell_end(END_SPACE);
    while (length < (u64)size) {
        u64 left = (u64)size - length;
        i64 got = system_call(SYS_READ, file, (i64)(word)(contents + length), (i64)(left < 1 << 24 ? left : 1 << 24), 0, -1, 0);
        if (got <= 0) tell_end(END_INPUT);
        length += (u64)got;
    }
}

/* A segment in fresh memory at its place, and only if nothing is there yet. */
static void load(const struct header *segment) {
    enum { NEW = 0x22 | 0x4000 | 0x100000 };
    u64 first = segment->address / PAGE * PAGE, last = (u64)segment->address + segment->size;
    u64 size = (last - first + PAGE - 1) / PAGE * PAGE;
    if (segment->stored > segment->size || segment->offset > length || segment->stored > length - segment->offset) tell_end(END_INPUT);
    if (last < first || (segment->flags & (RUN | WRITE)) == (RUN | WRITE)) tell_end(END_INPUT);
    if (!segment->size) return;
    i64 got = system_call(SYS_MMAP, (i64)first, (i64)size, 3, NEW, -1, 0);
    if ((word)got != (word)first) tell_end(END_SPACE);
    copy_bytes((void *)(word)segment->address, contents + segment->offset, (word)segment->stored);
    i64 rights = 1 | (segment->flags & WRITE) | (segment->flags & RUN ? 4 : 0);
    if (system_call(SYS_MPROTECT, (i64)first, (i64)size, rights, 0, -1, 0) != 0) tell_end(END_SPACE);
}

static word load_all(void) {
    const struct file_header *file = (const void *)contents;
    u64 table = file->headers, count = file->header_count;
    int known = file->ident[0] == 0x7f && file->ident[1] == 'E' && file->ident[2] == 'L' && file->ident[3] == 'F';
    known = known && file->ident[4] == sizeof(word) / 4 && file->ident[5] == 1 && file->type == EXECUTABLE;
    known = known && file->machine == MACHINE && file->header_size == sizeof(struct header);
    if (!known || table > length || count * sizeof(struct header) > length - table) tell_end(END_INPUT);
    for (u64 i = 0; i < count; i++) {
        const struct header *segment = (const struct header *)(contents + table) + i;
        if (segment->type == LOAD) load(segment);
    }
    word entry = file->entry;
    system_call(SYS_MUNMAP, (i64)(word)contents, (i64)length, 0, 0, -1, 0);
    return entry;
}

/* ---------------------------------------------------------------- confinement */

struct instruction {
    u16 code;
    u8 yes, no; /* instructions to skip */
    u32 value;
};
#define GET(offset) {0x20, 0, 0, offset}
#define SAME(value, yes, no) {0x15, yes, no, (u32)(value)}
#define ANSWER(action) {0x06, 0, 0, action}
enum { NUMBER = 0, PROCESSOR = 4 };
#define LOW(n) (16 + 8 * (n))
#define HIGH(n) (20 + 8 * (n))
#define KILL 0x80000000u
#define ALLOW 0x7fff0000u

static const struct instruction filter[] = {
    GET(PROCESSOR), SAME(ARCH, 1, 0), ANSWER(KILL),
    GET(NUMBER),
    SAME(SYS_EXIT, 14, 0), SAME(SYS_EXIT_GROUP, 13, 0),
    SAME(SYS_READ, 3, 0), SAME(SYS_WRITE, 4, 0), SAME(SYS_MMAP, 5, 0),
    ANSWER(KILL),
    /* read: 0 */
    GET(LOW(0)), SAME(0, 7, 6),
    /* write: 1 */
    GET(LOW(0)), SAME(1, 5, 4),
    /* mmap: read and write only, no file */
    GET(LOW(2)), SAME(3, 0, 2), GET(LOW(4)), SAME(-1, 1, 0),
    ANSWER(KILL),
    ANSWER(ALLOW),
};

static void confine(void) {
    struct {
        u16 count;
        const struct instruction *code;
    } program = {sizeof filter / sizeof *filter, filter};
    i64 done = system_call(SYS_PRCTL, 38, 1, 0, 0, 0, 0); /* no new privileges */
    done |= system_call(SYS_PRCTL, 22, 2, (i64)(word)&program, 0, 0, 0);
    if (done != 0) tell_end(END_UNCONFINED);
}

__attribute__((noreturn, used)) void launch_main(word *stack) {
    const char **words = (const char **)(stack + 1);
    if (stack[0] != 3) tell_end(END_INPUT);
    system_call(SYS_PRCTL, 1, 9, 0, 0, 0, 0); /* end with the parent */
    read_file(words[1]);
    word entry = load_all();
    set_limits(words[2]);
    confine();
    ((void (*)(void))entry)();
    __builtin_unreachable();
}

#if defined(__x86_64__)
__asm__(".text; .globl launch; launch: mov %rsp, %rdi; and $-16, %rsp; call launch_main");
#elif defined(__i386__)
__asm__(".text; .globl launch; launch: mov %esp, %eax; and $-16, %esp; sub $12, %esp; push %eax; call launch_main");
#elif defined(__aarch64__)
__asm__(".text; .globl launch; launch: mov x0, sp; b launch_main");
#endif
