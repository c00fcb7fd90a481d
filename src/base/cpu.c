#include "base/cpu.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

/** F16C is bit 29 of ECX in leaf 1; not every compiler knows its name. */
static bool has_f16c(void) {
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c >> 29 & 1);
}

static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           has_f16c() && __builtin_cpu_supports("bmi2");
}

static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

static hst_cpu_level find_level(void) {
    __builtin_cpu_init();
    if (!has_avx2())
        return HST_CPU_REF;
    if (!has_avx512())
        return HST_CPU_AVX2;
    return __builtin_cpu_supports("avx512vnni") ? HST_CPU_AVX512VNNI : HST_CPU_AVX512;
}

/** Asked once: a virtual machine leaves for the hypervisor at every CPUID, 25 us. */
hst_cpu_level hst__cpu_detect(void) {
    static atomic_int known; /**< level + 1; 0 before the first call */
    int level = atomic_load_explicit(&known, memory_order_relaxed);
    if (!level) {
        level = (int)find_level() + 1;
        atomic_store_explicit(&known, level, memory_order_relaxed);
    }
    return (hst_cpu_level)(level - 1);
}

/** AVX512_BF16 is bit 5 of EAX in leaf 7, subleaf 1. */
static bool has_avx512_bf16(void) {
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a >> 5 & 1);
}

bool hst__cpu_has_bf16(void) {
    __builtin_cpu_init();
    return has_avx512() && has_avx512_bf16();
}

unsigned hst__cpu_flush_subnormals(void) {
    unsigned old = _mm_getcsr();
    _mm_setcsr(old | 0x8040u); /* FTZ is bit 15, DAZ bit 6 of MXCSR */
    return old;
}
void hst__cpu_restore_fp(unsigned saved) { _mm_setcsr(saved); }
#else
hst_cpu_level hst__cpu_detect(void) { return HST_CPU_REF; }
bool hst__cpu_has_bf16(void) { return false; }
unsigned hst__cpu_flush_subnormals(void) { return 0; }
void hst__cpu_restore_fp(unsigned saved) { (void)saved; }
#endif

size_t hst__cpu_l2_bytes(void) {
    static atomic_long known;
    long bytes = atomic_load_explicit(&known, memory_order_relaxed);
    if (!bytes) {
        bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
        bytes = bytes > 0 ? bytes : 1 << 20;
        atomic_store_explicit(&known, bytes, memory_order_relaxed);
    }
    return (size_t)bytes;
}

hst_cpu_level hst__cpu_resolve(hst_cpu_level wish) {
    hst_cpu_level best = hst__cpu_detect();
    return wish == HST_CPU_AUTO || wish > best ? best : wish;
}

hst_cpu_level hst_cpu_best(void) { return hst__cpu_detect(); }

static const char *const level_names[] = {
#define NAME(name, text) text,
    HST_CPU_LIST(NAME)
#undef NAME
};

const char *hst_cpu_name(hst_cpu_level level) {
    return (unsigned)level < sizeof level_names / sizeof *level_names ? level_names[level]
                                                                      : "?";
}

hst_status hst_cpu_parse(const char *name, hst_cpu_level *out, hst_error *err) {
    for (unsigned i = 0; i < sizeof level_names / sizeof *level_names; i++) {
        if (strcmp(name, level_names[i]) == 0) {
            *out = (hst_cpu_level)i;
            return HST_OK;
        }
    }
    return hst__fail(err, HST_E_ARG,
                     "CPU level '%s' is not one of auto, ref, avx2, avx512, avx512vnni",
                     name);
}
