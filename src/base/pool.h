/* The one thread pool of the process. */
#ifndef HST_BASE_POOL_H
#define HST_BASE_POOL_H

/** Work on chunk `index` of a job; `worker` in 0..threads-1 names the executing thread,
 * so that it can own a slice of scratch memory. */
typedef void hst__pool_task(void *context, int index, int worker);

/** Threads worth using: CPUs of the affinity mask, capped by the cgroup CPU quota; >= 1.
 */
int hst__pool_default_threads(void);

/** Runs task for every index in 0..chunks-1 on up to `threads` threads, the caller among
 * them, and returns when all are done. Chunks are claimed one by one, so a slow thread
 * does not hold up the rest. With threads == 1 or when another session has the pool, the
 * caller does all chunks itself: results must not depend on who runs what. Never fails: a
 * thread that cannot be created is done without. */
void hst__pool_run(int threads, int chunks, hst__pool_task *task, void *context);

/** Starts the threads ahead of the first run, so that none is created in it. */
void hst__pool_warm(int threads);

enum { HST__POOL_MAX = 256 };

#endif
