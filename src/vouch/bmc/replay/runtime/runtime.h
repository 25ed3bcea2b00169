/* What the parts of the runtime share. The program under test is linked with nothing but this runtime: no C
   library, no start-up code. Names that the rewritten program calls begin with __replay_. */

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;
typedef __UINTPTR_TYPE__ word;

#define LOCAL static __attribute__((unused))
#define PAGE 4096u

/* Ways a run ends; wire.py has the same list. */
enum end {
    END_CONFIRMED,
    END_RETURNED,
    END_EXIT,
    END_ABORT,
    END_ASSUMPTION,
    END_UNREACHABLE,
    END_SPACE,
    END_INPUT,
    END_THROW,
    END_WILD,
    END_UNCONFINED,
    END_FOREIGN,
    END_QUESTION, /* the result of a library function is wanted: asked by the records before */
};

/* Remarks about a run that differs from the recorded one; wire.py has the same list. */
enum note {
    NOTE_MISSING, /* a function was called more often than recorded: b is its number */
    NOTE_ORDER,   /* events came in another order: b is the number of the function */
    NOTE_ACCESS,  /* an invalid access where no check is listed: b is the number of the function, or 0 */
    NOTE_TARGET,  /* a recorded write has no place to go to: b is the number of the function */
    NOTE_ASSUMED, /* a result that a model assumes was used: b is the number of the function */
};

enum state { FREE_SLOT, LIVE, DEAD };
enum kind { HEAP, STACK, OUTSIDE, GLOBAL };

struct object {
    word base;
    word size;
    u32 slots; /* taken in the arena, in the first slot of the object */
    u32 head;  /* how many slots before this one the object begins */
    u32 number; /* heap: how many were allocated before; stack: which alloca */
    u32 site;   /* heap: check of the allocation */
    u32 uses;   /* how often this slot was taken */
    u8 state, kind;
    u8 family;  /* heap: which functions it belongs to, 0 for malloc's */
    u8 whole;   /* all bytes are initialised */
    u8 fixed;   /* constant */
    u8 reached; /* by the search for leaks */
    u32 companion; /* the slot of what a model keeps beside the object, plus one */
};

struct global {
    void *base;
    u64 size;
    const void *image; /* contents at the start; null: zero */
    u64 flags;         /* 1: constant */
};

/* Tables that the rewritten program defines. */
extern struct global __replay_globals[];
extern const u32 __replay_global_count;
extern void *const __replay_functions[];
extern const u32 __replay_function_count;
extern const u8 __replay_own[]; /* by function: 1 for the program's own, 0 for models and stubs */
extern void (*const __replay_entries[])(void *arguments, void *result);
extern const u32 __replay_entry_count;
extern void (*const __replay_constructors[])(void);
extern const u32 __replay_constructor_count;

LOCAL __attribute__((noreturn)) void finish(enum end why, u32 detail);
LOCAL void fire(u32 site);
LOCAL void note(enum note what, u32 detail);
LOCAL u64 random_bits(void);
