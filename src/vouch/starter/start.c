/* Takes away from a command what it shall not have, and becomes it.

   start OWN PARENT MEMORY RULES PATH NAME ARGUMENT…

   OWN: the descriptor that this program lies in. The command is killed when PARENT ends. MEMORY: MiB of address space,
   0 for no limit. RULES: a descriptor of Landlock rules, "-" for none; with rules it also opens no sockets and looks into
   no other process, as `vouch/confine.py` says it. No C library: it is started thousands of
   times. */

typedef unsigned long word;

#if defined(__x86_64__)
enum { ARCH = 0xc000003e, SOCKET = 41, PTRACE = 101, PROCESS_WRITE = 311 };
enum { CLOSE = 3, WRITE = 1, EXECVE = 59, EXIT = 60, GETPPID = 110, PRCTL = 157, PRLIMIT = 302 };
static long system_call(long n, long a, long b, long c, long d) {
    long r;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = 0;
    __asm__ volatile("syscall"
                     : "=a"(r)
                     : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                     : "rcx", "r11", "memory");
    return r;
}
__asm__(".globl _start\n_start: mov %rsp, %rdi\n and $-16, %rsp\n call begin\n");
#elif defined(__aarch64__)
enum { ARCH = 0xc00000b7, SOCKET = 198, PTRACE = 117, PROCESS_WRITE = 271 };
enum { CLOSE = 57, WRITE = 64, EXECVE = 221, EXIT = 93, GETPPID = 173, PRCTL = 167, PRLIMIT = 261 };
static long system_call(long n, long a, long b, long c, long d) {
    register long x8 __asm__("x8") = n;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = 0;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
    return x0;
}
__asm__(".globl _start\n_start: mov x0, sp\n bl begin\n");
#endif

enum { DEATH_SIGNAL = 1, NO_NEW_PRIVILEGES = 38, RESTRICT = 446, ADDRESS_SPACE = 9, SIGKILL = 9 };

/* A filter of system calls: each row is an operation, how far to go on where it holds and where not, and a number. */
struct row {
    unsigned short operation;
    unsigned char yes, no;
    unsigned number;
};
enum { SECCOMP = 22, FILTER = 2, LOAD = 0x20, EQUAL = 0x15, AT_LEAST = 0x35, RETURN = 0x06 };
enum { ALLOWED = 0x7fff0000, REFUSED = 0x00050001 /* EPERM */, RING = 425 /* io_uring_setup */ };

static void close_off(void) {
    static const struct row rows[] = {
        {LOAD, 0, 0, 4},        {EQUAL, 0, 7, (unsigned)ARCH}, {LOAD, 0, 0, 0},
        {AT_LEAST, 5, 0, 1u << 30}, {EQUAL, 4, 0, SOCKET},     {EQUAL, 3, 0, RING},
        {EQUAL, 2, 0, PTRACE},  {EQUAL, 1, 0, PROCESS_WRITE},  {RETURN, 0, 0, ALLOWED},
        {RETURN, 0, 0, REFUSED},
    };
    struct {
        unsigned short count;
        const struct row *rows;
    } filter = {sizeof rows / sizeof *rows, rows};
    system_call(PRCTL, SECCOMP, FILTER, (long)&filter, 0);
}

static void leave(int status) {
    for (;;) system_call(EXIT, status, 0, 0, 0);
}

static word number(const char *text) {
    word value = 0;
    for (; *text >= '0' && *text <= '9'; text++) value = value * 10 + (word)(*text - '0');
    return value;
}

static void complain(long error) {
    static char text[] = "cannot be executed (error    )\n";
    char *last = text + sizeof text - 4;
    for (; error; error /= 10) *last-- = (char)('0' + error % 10);
    system_call(WRITE, 2, (long)text, sizeof text - 1, 0);
}

__attribute__((used)) void begin(word *stack) {
    char **words = (char **)(stack + 1), **environment = words + stack[0] + 1;
    if (stack[0] < 7) leave(126);
    system_call(PRCTL, DEATH_SIGNAL, SIGKILL, 0, 0);
    if (system_call(GETPPID, 0, 0, 0, 0) != (long)number(words[2])) leave(1); /* it is gone, and sends nothing more */
    if (words[4][0] != '-') {
        long rules = (long)number(words[4]);
        system_call(PRCTL, NO_NEW_PRIVILEGES, 1, 0, 0);
        if (system_call(RESTRICT, rules, 0, 0, 0) != 0) leave(126);
        system_call(CLOSE, rules, 0, 0, 0);
        close_off();
    }
    if (number(words[3])) {
        word limits[2] = {number(words[3]) << 20, number(words[3]) << 20};
        system_call(PRLIMIT, 0, ADDRESS_SPACE, (long)limits, 0);
    }
    system_call(CLOSE, (long)number(words[1]), 0, 0, 0);
    complain(-system_call(EXECVE, (long)words[5], (long)(words + 6), (long)environment, 0));
    leave(127);
}
