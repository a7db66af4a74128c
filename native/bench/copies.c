/* Items copied from buffer to buffer, as often as an item moves in the chain that FabricBenchmark runs: what moving the
 * bytes costs when nothing decides where they go. arg is the length of an item, at most 4096; count is the number of
 * items, start their first byte. The sum is of the last bytes, so that no copy is left out. */
#include <string.h>

#include "pace.h"

#define HOPS 3
#define LONGEST 4096

word copy_chain(word *mem, int64_t start, int64_t count, int64_t arg, int64_t how) {
    (void)how;
    unsigned char *at = (unsigned char *)mem;
    word sum = 0;
    for (int64_t i = 0; i < count; i++) {
        at[0] = (unsigned char)(start + i);
        at[arg - 1] = (unsigned char)i;
        for (int hop = 0; hop < HOPS; hop++) {
            memcpy(at + (hop + 1) * LONGEST, at + hop * LONGEST, (size_t)arg);
            __asm__ volatile("" ::: "memory");
        }
        sum += at[HOPS * LONGEST + arg - 1];
    }
    return sum;
}
