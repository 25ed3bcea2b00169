/* The order of a run: memory, inputs, constructors, entry point. The launcher has confined the process
   before any of it. */

enum { MAGIC = 0x31505256 };
static const u64 stack_size = sizeof(word) == 4 ? 32 << 20 : 256 << 20;
static u64 result[64];

/* What was registered with atexit, where the program has it. */
__attribute__((weak)) void __vouch_at_exit(void);

void __replay_at_exit(void) {
    if (__vouch_at_exit) __vouch_at_exit();
}

__attribute__((noreturn)) void __replay_exit(u32 why) {
    report_leaks(result, 0);
    finish(why, 0);
}

LOCAL __attribute__((noreturn, used)) void run(void) {
    load_input();
    if (take() != MAGIC) finish(END_INPUT, 4);
    flags = take();
    wanted = (u32)take();
    site_count = (u32)take();
    entry_number = take();
    random_state = take();
    device_count = (u32)take();
    devices = (const struct range *)cursor;
    cursor += 2 * (u64)device_count;
    answer_count = (u32)take();
    answers = cursor;
    cursor += 4 * (u64)answer_count;
    made = table(take() + 1, sizeof *made);
    fired = table(site_count + 1, 1);
    set_up_memory();
    register_globals();
    read_contents();
    read_events();
    make_objects();
    read_arguments();
    if (flags & FLAG_CONSTRUCTORS)
        for (u32 i = 0; i < __replay_constructor_count; i++) __replay_constructors[i]();
    fill_objects();
    if (entry_number >= __replay_entry_count) finish(END_INPUT, 5);
    __replay_entries[entry_number](arguments, result);
    if (flags & FLAG_MAIN) __replay_at_exit();
    report_leaks(result, sizeof result);
    finish(END_RETURNED, 0);
}

/* A stack of known place and size, so that accesses to it can be told from others. */
__attribute__((noreturn, used)) void __replay_boot(void) {
    native_stack = (word)reserve(stack_size);
    if (!native_stack) finish(END_SPACE, 4);
    native_stack_end = native_stack + (word)stack_size;
#if defined(__x86_64__)
    u64 end = native_stack_end, next = (word)run;
    __asm__ volatile("mov %0, %%rsp; xor %%ebp, %%ebp; call *%1" ::"r"(end), "r"(next));
#elif defined(__i386__)
    __asm__ volatile("mov %0, %%esp; xor %%ebp, %%ebp; call *%1" ::"r"(native_stack_end), "r"(run));
#elif defined(__aarch64__)
    __asm__ volatile("mov sp, %0; mov x29, xzr; blr %1" ::"r"(native_stack_end), "r"(run));
#endif
    __builtin_unreachable();
}

/* The system's own stack may lie where short pointers do not reach: begin on a small one in the image. */
__attribute__((used)) u8 __replay_first_stack[1 << 16];

#if defined(__x86_64__)
__asm__(".text; .globl __replay_start; __replay_start: lea __replay_first_stack+65536(%rip), %rsp; call __replay_boot");
#elif defined(__i386__)
__asm__(".text; .globl __replay_start; __replay_start: mov $__replay_first_stack+65536, %esp; call __replay_boot");
#elif defined(__aarch64__)
__asm__(".text; .globl __replay_start; __replay_start: b __replay_boot");
#endif
