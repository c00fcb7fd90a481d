/* A job is finished when all its chunks are, not when all threads have looked at it: a
 * worker that wakes late finds the generation changed and goes back to sleep, and without
 * any worker the caller does everything. Chunks are claimed by compare-and-swap on one
 * word that holds generation and next index. That word moves to the new generation
 * before the job's fields change: a late worker that read a new field cannot swap the
 * old word any more, so it never takes a chunk of a job that is not its own. */
#include "base/pool.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpu.h"

#if defined(__x86_64__)
#define cpu_relax() __builtin_ia32_pause()
#else
#define cpu_relax() atomic_signal_fence(memory_order_seq_cst)
#endif

enum {
    WORKER_SPIN_NS =
        100000, /* idle worker, before it sleeps: longer than a serial layer */
    CALLER_SPIN_NS = 200000, /* caller with nothing left to claim, before it sleeps */
};

typedef struct pool_state {
    pthread_mutex_t busy; /**< held by the session whose job is running */
    atomic_int started;   /**< workers that exist; they are numbered 1..started */

    _Alignas(64) _Atomic uint64_t claim; /**< generation << 32 | next chunk */
    _Atomic(hst__pool_task *) task;
    _Atomic(void *) context;
    atomic_int chunks, threads;

    _Alignas(64) atomic_uint generation; /**< futex: idle workers wait for a change */
    atomic_int sleepers;

    _Alignas(64) atomic_uint done; /**< futex: chunks finished of the current job */
    atomic_int caller_sleeps;
} pool_state;

static pool_state pool = {.busy = PTHREAD_MUTEX_INITIALIZER};

static void futex_wait(atomic_uint *word, unsigned expected) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

static void futex_wake(atomic_uint *word, int count) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

/** Spins until *word differs from `seen` or the time is over; true when it differs. */
static bool spin_while(atomic_uint *word, unsigned seen, uint64_t limit_ns) {
    uint64_t start = hst__clock_ns();
    do {
        for (int i = 0; i < 64; i++) {
            if (atomic_load_explicit(word, memory_order_acquire) != seen)
                return true;
            cpu_relax();
        }
    } while (hst__clock_ns() - start < limit_ns);
    return false;
}

/** Next chunk of a job that nobody may work on yet; beyond every count. */
enum { CLOSED = INT_MAX };

static uint64_t claim_word(uint32_t generation, int next) {
    return (uint64_t)generation << 32 | (uint32_t)next;
}

/** Claims and runs chunks of one generation until none is left. */
static void work(uint32_t generation, int worker) {
    for (;;) {
        uint64_t word = atomic_load_explicit(&pool.claim, memory_order_acquire);
        if ((uint32_t)(word >> 32) != generation)
            return;
        hst__pool_task *task = atomic_load_explicit(&pool.task, memory_order_acquire);
        void *context = atomic_load_explicit(&pool.context, memory_order_acquire);
        int chunks = atomic_load_explicit(&pool.chunks, memory_order_acquire);
        if (worker >= atomic_load_explicit(&pool.threads, memory_order_acquire) ||
            (int)(uint32_t)word >= chunks)
            return;
        if (!atomic_compare_exchange_weak_explicit(
                &pool.claim, &word, word + 1, memory_order_acq_rel, memory_order_relaxed))
            continue;
        task(context, (int)(uint32_t)word, worker);
        unsigned finished = atomic_fetch_add(&pool.done, 1) + 1;
        if (finished == (unsigned)chunks && atomic_load(&pool.caller_sleeps))
            futex_wake(&pool.done, 1);
    }
}

static void *worker_main(void *arg) {
    int worker = (int)(intptr_t)arg;
    unsigned seen = 0;
    hst__cpu_flush_subnormals();
    for (;;) {
        if (!spin_while(&pool.generation, seen, WORKER_SPIN_NS)) {
            atomic_fetch_add(&pool.sleepers, 1);
            while (atomic_load(&pool.generation) == seen)
                futex_wait(&pool.generation, seen);
            atomic_fetch_sub(&pool.sleepers, 1);
        }
        seen = atomic_load_explicit(&pool.generation, memory_order_acquire);
        work(seen, worker);
    }
    return NULL;
}

/** Called with `busy` held. */
static void start_workers(int threads) {
    sigset_t all, old;
    pthread_attr_t attr;
    if (atomic_load(&pool.started) >= threads - 1 || pthread_attr_init(&attr))
        return;
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all,
                    &old); /* signals belong to the program's threads */
    for (int id = atomic_load(&pool.started) + 1; id < threads; id++) {
        pthread_t thread;
        if (pthread_create(&thread, &attr, worker_main, (void *)(intptr_t)id))
            break;
        atomic_store(&pool.started, id);
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
}

void hst__pool_warm(int threads) {
    if (threads > HST__POOL_MAX)
        threads = HST__POOL_MAX;
    if (threads <= 1)
        return;
    pthread_mutex_lock(&pool.busy);
    start_workers(threads);
    pthread_mutex_unlock(&pool.busy);
}

static void wait_done(int chunks) {
    unsigned done;
    while ((done = atomic_load(&pool.done)) != (unsigned)chunks) {
        if (spin_while(&pool.done, done, CALLER_SPIN_NS))
            continue;
        atomic_store(&pool.caller_sleeps, 1);
        if (atomic_load(&pool.done) == done)
            futex_wait(&pool.done, done);
        atomic_store(&pool.caller_sleeps, 0);
    }
}

void hst__pool_run(int threads, int chunks, hst__pool_task *task, void *context) {
    if (threads > HST__POOL_MAX)
        threads = HST__POOL_MAX;
    if (threads <= 1 || chunks <= 1 || pthread_mutex_trylock(&pool.busy) != 0) {
        for (int i = 0; i < chunks; i++)
            task(context, i, 0);
        return;
    }
    start_workers(threads);
    uint32_t generation = atomic_load(&pool.generation) + 1;
    atomic_store(&pool.claim, claim_word(generation, CLOSED));
    atomic_store_explicit(&pool.task, task, memory_order_release);
    atomic_store_explicit(&pool.context, context, memory_order_release);
    atomic_store_explicit(&pool.chunks, chunks, memory_order_release);
    atomic_store_explicit(&pool.threads, threads, memory_order_release);
    atomic_store(&pool.done, 0);
    atomic_store(&pool.claim, claim_word(generation, 0));
    atomic_store(&pool.generation, generation);
    if (atomic_load(&pool.sleepers))
        futex_wake(&pool.generation, INT_MAX);
    work(generation, 0);
    wait_done(chunks);
    pthread_mutex_unlock(&pool.busy);
}
