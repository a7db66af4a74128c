/*
 * Store fence, load fence, line flush and line prefetch for windows onto real hardware
 * (dev.bascule.ffi.CacheControl). Everything else runs without this file.
 * Build: scripts/build-native
 */
#if defined(__x86_64__)
#include <cpuid.h>

static int has_clflushopt(void)
{
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & (1u << 23));
}

static int clflushopt = -1;

void bascule_store_fence(void)
{
    __asm__ volatile("sfence" ::: "memory");
}

void bascule_load_fence(void)
{
    __asm__ volatile("lfence" ::: "memory");
}

void bascule_flush_line(const char *base, long offset)
{
    const char *line = base + offset;

    if (clflushopt < 0)
        clflushopt = has_clflushopt();
    if (clflushopt)
        __asm__ volatile(".byte 0x66; clflush %0" ::"m"(*line) : "memory");
    else
        __asm__ volatile("clflush %0" ::"m"(*line) : "memory");
    /* A later load must not be served before the flush is done. */
    __asm__ volatile("mfence" ::: "memory");
}

void bascule_prefetch_line(const char *base, long offset)
{
    const char *line = base + offset;

    __asm__ volatile("prefetcht0 %0" ::"m"(*line));
}

#elif defined(__aarch64__)

void bascule_store_fence(void)
{
    __asm__ volatile("dsb st" ::: "memory");
}

void bascule_load_fence(void)
{
    __asm__ volatile("dmb oshld" ::: "memory");
}

void bascule_flush_line(const char *base, long offset)
{
    const char *line = base + offset;

    __asm__ volatile("dc civac, %0\n\tdsb sy" ::"r"(line) : "memory");
}

void bascule_prefetch_line(const char *base, long offset)
{
    const char *line = base + offset;

    __asm__ volatile("prfm pldl1keep, [%0]" ::"r"(line));
}

#else
#error "Bascule runs on x86-64 and aarch64"
#endif
