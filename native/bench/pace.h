/* What a C twin does between two looks at a line that has not changed yet, and the accesses it uses. */
#ifndef BASCULE_BENCH_PACE_H
#define BASCULE_BENCH_PACE_H

#include <stdint.h>

typedef uint64_t word;

enum pace { TIGHT = 0, PAUSE = 1, NOPS8 = 2, NOPS32 = 3, PAUSES16 = 4 };

#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE word load_acquire(const word *p) {
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

ALWAYS_INLINE void store_release(word *p, word v) {
    __atomic_store_n(p, v, __ATOMIC_RELEASE);
}

ALWAYS_INLINE void pause_once(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
}

ALWAYS_INLINE void pace(const int how) {
    switch (how) {
    case PAUSE:
        pause_once();
        break;
    case PAUSES16: /* long enough for the other side to get ahead, so that the two do not fight for one line */
        for (int i = 0; i < 16; i++) {
            pause_once();
        }
        break;
    case NOPS8:
        __asm__ volatile(".rept 8\n\tnop\n\t.endr" ::: "memory");
        break;
    case NOPS32:
        __asm__ volatile(".rept 32\n\tnop\n\t.endr" ::: "memory");
        break;
    default:
        break;
    }
}

/* Sum of the words of messages start .. start+count-1, of which message n carries n+1 .. n+7. */
ALWAYS_INLINE word checksum(word start, word count) {
    return 7 * (count * start + count * (count - 1) / 2) + 28 * count;
}

/* A twin is long f(mem, start, count, arg, pace): operations start+1 .. start+count, checksum of what came in.
 * Each is compiled once per pace, so that the choice costs nothing in the loop. */
#define TWIN(name)                                                                        \
    int64_t name(word *mem, int64_t start, int64_t count, int64_t arg, int64_t how) {     \
        switch (how) {                                                                    \
        case PAUSE: return (int64_t)name##_at(mem, start, count, arg, PAUSE);             \
        case NOPS8: return (int64_t)name##_at(mem, start, count, arg, NOPS8);             \
        case NOPS32: return (int64_t)name##_at(mem, start, count, arg, NOPS32);           \
        case PAUSES16: return (int64_t)name##_at(mem, start, count, arg, PAUSES16);       \
        default: return (int64_t)name##_at(mem, start, count, arg, TIGHT);                \
        }                                                                                 \
    }

#endif
