/* Kernels: the threads of a launch run one after the other, block by block, and within a block phase by phase. A phase
   ends where every thread that has not ended waits at the same __syncthreads. The front end (`c/kernels.py`) makes
   kernels with barriers resumable, gives shared variables an object for each block, and calls __vouch_cuda_access before
   each access to memory that threads may share. */
#include "device.h"
#include "../include/cuda/cuda_runtime_api.h"

struct uint3 { unsigned x, y, z; };

enum { THREADS = 1024, SHARED = 16, DONE = -1, MANY = -1, ATOMICS = -3 };

static struct {
    _Bool active;
    struct uint3 grid, block, *thread_index, *block_index;
    unsigned threads, blocks; /* of a block, of the grid */
    unsigned thread, at;      /* which of them runs */
    int phase, number, step;  /* number: of the launch; step: how many pieces have run */
    size_t shared_bytes;
} launch;
static int *frames[THREADS]; /* of each thread; the first number says where it goes on */
static void *shared[SHARED];

void __vouch_cuda_failed(int error);

static void place(void) {
    unsigned t = launch.thread, b = launch.at;
    launch.thread_index->x = t % launch.block.x;
    launch.thread_index->y = t / launch.block.x % launch.block.y;
    launch.thread_index->z = t / launch.block.x / launch.block.y;
    launch.block_index->x = b % launch.grid.x;
    launch.block_index->y = b / launch.grid.x % launch.grid.y;
    launch.block_index->z = b / launch.grid.x / launch.grid.y;
    if (launch.grid.x > 1) __vouch_note("blockIdx.x", launch.block_index->x);
    if (launch.grid.y > 1) __vouch_note("blockIdx.y", launch.block_index->y);
    if (launch.grid.z > 1) __vouch_note("blockIdx.z", launch.block_index->z);
    __vouch_note("threadIdx.x", launch.thread_index->x);
    if (launch.block.y > 1) __vouch_note("threadIdx.y", launch.thread_index->y);
    if (launch.block.z > 1) __vouch_note("threadIdx.z", launch.thread_index->z);
}

#define LAUNCH(c, text)                                        \
    do {                                                       \
        _Bool fine_ = (c);                                     \
        __vouch_require(fine_, "kernel launch: " text);        \
        if (!fine_) {                                          \
            __vouch_cuda_failed(cudaErrorInvalidConfiguration); \
            return 0;                                          \
        }                                                      \
    } while (0)

/* The first thread is placed; whether there is one. */
_Bool __vouch_cuda_begin(const struct uint3 *grid, const struct uint3 *block, size_t shared_bytes,
                         struct uint3 *thread_index, struct uint3 *block_index) {
    if (launch.active) __vouch_unsupported(); /* a kernel that launches kernels */
    LAUNCH(block->x >= 1 && block->y >= 1 && block->z >= 1, "a dimension of the block is zero");
    LAUNCH(block->x <= THREADS && block->y <= THREADS && block->z <= 64 &&
               (unsigned long long)block->x * block->y * block->z <= THREADS,
           "the block has more than 1024 threads");
    LAUNCH(grid->x >= 1 && grid->y >= 1 && grid->z >= 1, "a dimension of the grid is zero");
    LAUNCH(grid->x <= 0x7fffffff && grid->y <= 65535 && grid->z <= 65535, "the grid is too large");
    LAUNCH(shared_bytes <= 49152, "more shared memory than the 48 KiB that a launch may ask for");
    if ((unsigned long long)grid->x * grid->y > 0x7fffffff / grid->z) __vouch_unsupported(); /* blocks are counted */
    launch.active = 1;
    launch.grid = *grid;
    launch.block = *block;
    launch.threads = block->x * block->y * block->z;
    launch.blocks = grid->x * grid->y * grid->z;
    launch.thread = launch.at = 0;
    launch.phase = launch.step = 0;
    launch.number++;
    launch.shared_bytes = shared_bytes;
    launch.thread_index = thread_index;
    launch.block_index = block_index;
    place();
    return 1;
}

static _Bool waits(unsigned thread) { return frames[thread] && frames[thread][0] > 0; }

static void end_block(void) {
    for (unsigned i = 0; i < launch.threads; i++) {
        if (frames[i]) free(frames[i]);
        frames[i] = 0;
    }
    for (int i = 0; i < SHARED; i++) {
        if (shared[i]) free(shared[i]);
        shared[i] = 0;
    }
}

/* The thread has run to its end or to a barrier: the number of the next piece to run, a new one each time, or 0. */
int __vouch_cuda_next(void) {
    unsigned first = launch.threads;
    for (launch.thread++; launch.thread < launch.threads; launch.thread++)
        if (launch.phase == 0 || waits(launch.thread)) {
            place();
            return ++launch.step;
        }
    for (unsigned i = launch.threads; i-- > 0;)
        if (waits(i)) first = i;
    if (first < launch.threads) {
        for (unsigned i = first; i < launch.threads; i++)
            if (waits(i))
                __vouch_require(frames[i][0] == frames[first][0],
                                "kernel launch: threads of a block wait at different __syncthreads");
        launch.phase++;
        launch.thread = first;
        place();
        return ++launch.step;
    }
    end_block();
    launch.at++;
    launch.thread = 0;
    launch.phase = 0;
    if (launch.at < launch.blocks) {
        place();
        return ++launch.step;
    }
    launch.active = 0;
    return 0;
}

/* The private variables of a thread whose kernel has barriers. */
void *__vouch_cuda_frame(size_t size) {
    if (!launch.active) __vouch_unsupported();
    if (!frames[launch.thread]) {
        frames[launch.thread] = malloc(size);
        __vouch_assume(frames[launch.thread] != 0);
        frames[launch.thread][0] = 0;
    }
    return frames[launch.thread];
}

/* A shared variable of the block; a negative size stands for what the launch asked for. */
void *__vouch_cuda_shared(int number, long long size) {
    if (!launch.active || number >= SHARED) __vouch_unsupported();
    if (!shared[number]) {
        shared[number] = malloc(size < 0 ? launch.shared_bytes : (size_t)size);
        __vouch_assume(shared[number] != 0);
    }
    return shared[number];
}

/* Named in a function of both sides, which the host runs: it has no such variable. */
void __vouch_unsupported_variable(const void *variable) __asm__("__vouch_unsupported");
void __vouch_cuda_named(const void *variable) {
    if (!launch.active) __vouch_unsupported_variable(variable);
}

/* Whether nobody else runs beside this thread. */
_Bool __vouch_cuda_alone(void) { return !launch.active || (launch.threads == 1 && launch.blocks == 1); }

/* A barrier in a function that the front end could not make resumable. */
void __syncthreads(void) {
    if (launch.active && launch.threads > 1) __vouch_unsupported();
}

/* What is known of a piece of memory: who wrote it last in which launch, and who has read it. A writer is a thread,
   doubled, and odd where it wrote atomically; ATOMICS are several that no barrier has parted. What one block wrote
   plainly stays known beside the atomic writes that follow it. */
struct trace {
    int write_launch, write_thread, write_block, write_phase;
    int plain_launch, plain_block;
    int read_launch, read_thread, read_block, read_phase;
};

/* `kind`: 0 read, 1 write, 2 atomic. `grain`: bytes that are always accessed together. */
void __vouch_cuda_access(const void *p, size_t size, int kind, int grain) {
    int thread, block, phase;
    struct trace *trace;
    if (!launch.active || (launch.threads == 1 && launch.blocks == 1)) return;
    trace = __vouch_beside(p, sizeof(struct trace) / 4 * (4 / grain));
    if (!trace) return;
    thread = (int)(launch.at * launch.threads + launch.thread) * 2 + (kind == 2);
    block = (int)launch.at;
    phase = launch.phase;
    for (size_t i = 0; i < size; i += grain, trace++) {
        if (!__vouch_valid(trace, sizeof *trace)) return;
        _Bool raced = 0, wrote = 0;
        if (trace->write_launch == launch.number && trace->write_thread / 2 != thread / 2 &&
            (trace->write_block != block || trace->write_phase == phase) && !(kind == 2 && trace->write_thread % 2))
            raced = wrote = 1;
        if (kind == 2 && trace->plain_launch == launch.number && trace->plain_block != block) raced = wrote = 1;
        if (kind != 0 && trace->read_launch == launch.number &&
            (trace->read_block != block ||
             (trace->read_phase == phase && trace->read_thread != thread / 2)))
            raced = 1;
        if (raced) {
            int other = !wrote ? trace->read_thread : trace->write_thread < 0 ? MANY : trace->write_thread / 2;
            if (other >= 0) __vouch_note("the other thread", (unsigned)other % launch.threads);
            if (other >= 0 && launch.blocks > 1) __vouch_note("the other block", (unsigned)other / launch.threads);
        }
        __vouch_require(!raced, "data race: another thread accesses the same memory, and no barrier lies between");
        if (kind != 0) {
            _Bool before = trace->write_launch == launch.number;
            _Bool plain = before && trace->write_thread == thread / 2 * 2 && trace->write_phase == phase;
            _Bool elsewhere = before && trace->write_block != block;
            _Bool beside = before && trace->write_phase == phase && trace->write_thread / 2 != thread / 2;
            trace->write_launch = launch.number;
            trace->write_thread = elsewhere || beside ? ATOMICS : plain ? thread / 2 * 2 : thread;
            trace->write_block = elsewhere ? MANY : block;
            trace->write_phase = phase;
            if (kind == 1) {
                trace->plain_launch = launch.number;
                trace->plain_block = block;
            }
        } else if (trace->read_launch != launch.number) {
            trace->read_launch = launch.number;
            trace->read_thread = thread / 2;
            trace->read_block = block;
            trace->read_phase = phase;
        } else if (trace->read_block != block) {
            trace->read_block = MANY;
        } else if (trace->read_phase != phase) {
            trace->read_thread = thread / 2;
            trace->read_phase = phase;
        } else if (trace->read_thread != thread / 2) {
            trace->read_thread = MANY;
        }
    }
}
