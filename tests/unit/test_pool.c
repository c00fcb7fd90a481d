/* The thread pool; also run under the thread sanitizer. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/pool.h"
#include "support/test.h"

typedef struct job {
    atomic_int seen[1000];
    atomic_int worker_busy[HST__POOL_MAX];
    atomic_int clashes;
    int threads;
} job;

static void task(void *context, int index, int worker) {
    job *j = context;
    if (worker < 0 || worker >= j->threads ||
        atomic_fetch_add(&j->worker_busy[worker], 1) != 0)
        atomic_fetch_add(&j->clashes, 1);
    atomic_fetch_add(&j->seen[index], 1);
    atomic_fetch_sub(&j->worker_busy[worker], 1);
}

static void check_job(int threads, int chunks) {
    job *j = calloc(1, sizeof *j);
    j->threads = threads;
    hst__pool_run(threads, chunks, task, j);
    for (int i = 0; i < chunks; i++)
        assert_int_equal(j->seen[i], 1);
    for (int i = chunks; i < 1000; i++)
        assert_int_equal(j->seen[i], 0);
    assert_int_equal(j->clashes, 0);
    free(j);
}

static void every_chunk_runs_once(void **state) {
    (void)state;
    static const int counts[] = {0, 1, 2, 3, 7, 64, 999};
    for (int threads = 1; threads <= 5; threads++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            for (int round = 0; round < 50; round++)
                check_job(threads, counts[i]);
}

static void *caller(void *arg) {
    (void)arg;
    for (int i = 0; i < 300; i++)
        check_job(3, 20);
    return NULL;
}

/** Only one has the pool at a time; the others do their work themselves. */
static void many_callers(void **state) {
    (void)state;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, caller, NULL), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

typedef struct small_job {
    atomic_int runs, wrong;
    int chunks;
} small_job;

static void small_task(void *context, int index, int worker) {
    (void)worker;
    small_job *j = context;
    if (index >= j->chunks)
        atomic_fetch_add(&j->wrong, 1);
    atomic_fetch_add(&j->runs, 1);
}

/** A late worker of one job must not take a chunk of the next, longer one. More threads
 * than cores, so that workers are interrupted anywhere. */
static void jobs_follow_each_other(void **state) {
    (void)state;
    static small_job jobs[2];
    for (int i = 0; i < 300000; i++) {
        small_job *j = &jobs[i & 1];
        j->chunks = i & 1 ? 9 : 2;
        atomic_store(&j->runs, 0);
        hst__pool_run(4, j->chunks, small_task, j);
        if (atomic_load(&j->runs) != j->chunks || atomic_load(&j->wrong))
            fail_msg("job %d: %d runs of %d chunks, %d of them beyond the end", i,
                     atomic_load(&j->runs), j->chunks, atomic_load(&j->wrong));
    }
}

static void sleepers_wake(void **state) {
    (void)state;
    for (int i = 0; i < 5; i++) {
        check_job(3, 40);
        usleep(5000); /* longer than idle workers spin */
    }
}

#if !defined(__SANITIZE_THREAD__)
/** The child has none of the threads and must not wait for them. */
static void works_after_fork(void **state) {
    (void)state;
    check_job(3, 40);
    pid_t child = fork();
    if (child == 0) {
        job *j = calloc(1, sizeof *j);
        j->threads = 3;
        hst__pool_run(3, 40, task, j);
        int done = 0;
        for (int i = 0; i < 40; i++)
            done += j->seen[i] == 1;
        _exit(done == 40 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}
#endif

static void size_is_within_the_affinity_mask(void **state) {
    (void)state;
    int n = hst__pool_default_threads();
    assert_in_range(n, 1, sysconf(_SC_NPROCESSORS_ONLN));
    cpu_set_t old, one;
    assert_int_equal(sched_getaffinity(0, sizeof old, &old), 0);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &old)) {
            CPU_SET(i, &one);
            break;
        }
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(hst__pool_default_threads(), 1);
    sched_setaffinity(0, sizeof old, &old);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_chunk_runs_once),
        cmocka_unit_test(many_callers),
        cmocka_unit_test(jobs_follow_each_other),
        cmocka_unit_test(sleepers_wake),
#if !defined(__SANITIZE_THREAD__)
        cmocka_unit_test(works_after_fork),
#endif
        cmocka_unit_test(size_is_within_the_affinity_mask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
