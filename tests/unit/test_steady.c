/* A one-thread run in steady state allocates nothing, locks nothing and makes no system
 * call: counted by standing in for malloc and pthread_mutex_lock, and proved for system calls
 * by a process in which any of them but write and exit is death. */
#include <dlfcn.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hasten/session.h"
#include "support/test.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* volatile: compilers take malloc for a function that sees no variable of ours */
static volatile int counting, allocations, locks;

#if !SANITIZED
extern void *__libc_malloc(size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t n) {
    allocations += counting;
    return __libc_malloc(n);
}

void *aligned_alloc(size_t align, size_t n) {
    allocations += counting;
    return __libc_memalign(align, n);
}

int pthread_mutex_lock(pthread_mutex_t *m) {
    static int (*real)(pthread_mutex_t *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_mutex_lock");
    locks += counting;
    return real(m);
}
#endif

typedef struct fixture {
    hst_model *model;
    hst_session *session;
    hst_tensor *input;
} fixture;

static fixture open_fixture(void) {
    fixture f;
    hst_error err;
    hst_session_options options;
    const hst_tensor_info info = {HST_DTYPE_F32, 4, {1, 3, 224, 224}};
    assert_ok(hst_model_load_file(HASTEN_SOURCE_DIR "/models/strip/strip.onnx", &f.model, &err),
              &err);
    hst_session_options_init(&options);
    options.threads = 1;
    assert_ok(hst_session_create(f.model, &options, &f.session, &err), &err);
    assert_ok(hst_tensor_create(&info, &f.input, &err), &err);
    float *x = hst_tensor_data(f.input);
    for (size_t i = 0; i < hst_tensor_count(f.input); i++)
        x[i] = (float)(i * 2654435761u % 1000) / 500.0f - 1.0f;
    const hst_tensor *in = f.input;
    for (int i = 0; i < 3; i++)
        assert_ok(hst_session_run(f.session, &in, 1, &err), &err);
    return f;
}

static void close_fixture(fixture *f) {
    hst_tensor_destroy(f->input);
    hst_session_destroy(f->session);
    hst_model_destroy(f->model);
}

static void allocates_and_locks_nothing(void **state) {
    (void)state;
    if (SANITIZED)
        skip(); /* the sanitizer's own malloc and locks stand in the way */
    fixture f = open_fixture();
    const hst_tensor *in = f.input;
    hst_error err;
    counting = 1;
    hst_status st = hst_session_run(f.session, &in, 1, &err);
    counting = 0;
    assert_ok(st, &err);
    assert_int_equal(allocations, 0);
    assert_int_equal(locks, 0);
    counting = 1;
    void *volatile p = malloc(1); /* the counters count */
    counting = 0;
    free(p);
    assert_int_equal(allocations, 1);
    close_fixture(&f);
}

static void calls_nothing_of_the_system(void **state) {
    (void)state;
    if (SANITIZED)
        skip(); /* sanitizers make system calls of their own */
    fixture f = open_fixture();
    pid_t child = fork();
    if (child == 0) {
        const hst_tensor *in = f.input;
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
            syscall(SYS_exit, 7);
        hst_status st = hst_session_run(f.session, &in, 1, NULL);
        syscall(SYS_exit, st == HST_OK ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 7)
        skip(); /* this kernel has no seccomp */
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    close_fixture(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocates_and_locks_nothing),
        cmocka_unit_test(calls_nothing_of_the_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
