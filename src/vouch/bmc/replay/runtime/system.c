/* The few system calls of a run, without a C library. */

#if defined(__x86_64__)
LOCAL i64 system_call(i64 n, i64 a, i64 b, i64 c, i64 d, i64 e, i64 f) {
    i64 r;
    register i64 r10 __asm__("r10") = d;
    register i64 r8 __asm__("r8") = e;
    register i64 r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(r)
                     : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return r;
}
enum { SYS_READ = 0, SYS_WRITE = 1, SYS_MMAP = 9, SYS_EXIT = 60, SYS_PRCTL = 157 };
#elif defined(__i386__)
LOCAL i64 system_call(i64 n, i64 a, i64 b, i64 c, i64 d, i64 e, i64 f) {
    int r;
    int numbers[2] = {(int)a, (int)f};
    __asm__ volatile("push %%ebx; push %%ebp; mov 4(%%ebx), %%ebp; mov (%%ebx), %%ebx; int $0x80; pop %%ebp; pop %%ebx"
                     : "=a"(r)
                     : "a"((int)n), "b"(numbers), "c"((int)b), "d"((int)c), "S"((int)d), "D"((int)e)
                     : "memory");
    return r;
}
enum { SYS_READ = 3, SYS_WRITE = 4, SYS_MMAP = 192, SYS_EXIT = 1, SYS_PRCTL = 172 };
#elif defined(__aarch64__)
LOCAL i64 system_call(i64 n, i64 a, i64 b, i64 c, i64 d, i64 e, i64 f) {
    register i64 x8 __asm__("x8") = n;
    register i64 x0 __asm__("x0") = a;
    register i64 x1 __asm__("x1") = b;
    register i64 x2 __asm__("x2") = c;
    register i64 x3 __asm__("x3") = d;
    register i64 x4 __asm__("x4") = e;
    register i64 x5 __asm__("x5") = f;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
}
enum { SYS_READ = 63, SYS_WRITE = 64, SYS_MMAP = 222, SYS_EXIT = 93, SYS_PRCTL = 167 };
#endif

/* Memory that costs nothing until it is touched; null when the system does not give it. Short pointers: above the
   addresses where processors have their devices. */
LOCAL void *reserve(u64 size) {
    enum { NEW = 0x22 | 0x4000, AT = 0x100000 }; /* private, anonymous, no swap; there or nowhere */
    if (sizeof(word) == 8) {
        i64 got = system_call(SYS_MMAP, 0, (i64)size, 3, NEW, -1, 0);
        return got < 0 && got > -4096 ? 0 : (void *)(word)got;
    }
    static u64 next = 0x70000000;
    size = (size + PAGE - 1) / PAGE * PAGE;
    for (; next + size < 0xe0000000; next += 1 << 24) {
        i64 got = system_call(SYS_MMAP, (i64)next, (i64)size, 3, NEW | AT, -1, 0);
        if ((u32)got != (u32)next) continue;
        next += size + PAGE;
        return (void *)(word)(next - size - PAGE);
    }
    return 0;
}

LOCAL void copy_bytes(void *to, const void *from, word count) {
    u8 *t = to;
    const u8 *f = from;
    if (t <= f)
        for (word i = 0; i < count; i++) t[i] = f[i];
    else
        for (word i = count; i-- > 0;) t[i] = f[i];
}

LOCAL void fill_bytes(void *to, u8 value, word count) {
    u8 *t = to;
    for (word i = 0; i < count; i++) t[i] = value;
}
