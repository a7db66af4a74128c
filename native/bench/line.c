/* C twins of the line workloads: 8-byte ping-pong, request/response swap of a line, bilateral exchange.
 * Lines are 256 bytes apart: away from the adjacent-line prefetcher. */
#include "pace.h"

#define AT(mem, byte) ((word *)((char *)(mem) + (byte)))
#define STRIDE 256

/* ping-pong: 8 bytes each way on two lines */

ALWAYS_INLINE word ping_at(word *mem, int64_t start, int64_t count, int64_t arg, const int how) {
    (void)arg;
    word sum = 0;
    for (int64_t i = start + 1; i <= start + count; i++) {
        store_release(AT(mem, 0), (word)i);
        word got;
        while ((got = load_acquire(AT(mem, STRIDE))) != (word)i) {
            pace(how);
        }
        sum += got;
    }
    return sum;
}

ALWAYS_INLINE word pong_at(word *mem, int64_t start, int64_t count, int64_t arg, const int how) {
    (void)arg;
    word sum = 0;
    for (int64_t i = start + 1; i <= start + count; i++) {
        word got;
        while ((got = load_acquire(AT(mem, 0))) != (word)i) {
            pace(how);
        }
        sum += got;
        store_release(AT(mem, STRIDE), (word)i);
    }
    return sum;
}

TWIN(ping)
TWIN(pong)

/* a line of seven payload words and, first, the sequence that publishes it */

ALWAYS_INLINE void put_line(word *line, word i) {
    for (word k = 1; k < 8; k++) {
        line[k] = i + k;
    }
    store_release(line, i);
}

ALWAYS_INLINE word await_line(const word *line, word i, const int how) {
    while (load_acquire(line) != i) {
        pace(how);
    }
    word sum = 0;
    for (int k = 1; k < 8; k++) {
        sum += line[k];
    }
    return sum;
}

/* request/response swap: one side asks, the other answers */

ALWAYS_INLINE word request_at(word *mem, int64_t start, int64_t count, int64_t arg, const int how) {
    (void)arg;
    word sum = 0;
    for (int64_t i = start + 1; i <= start + count; i++) {
        put_line(AT(mem, 0), (word)i);
        sum += await_line(AT(mem, STRIDE), (word)i, how);
    }
    return sum;
}

ALWAYS_INLINE word respond_at(word *mem, int64_t start, int64_t count, int64_t arg, const int how) {
    (void)arg;
    word sum = 0;
    for (int64_t i = start + 1; i <= start + count; i++) {
        sum += await_line(AT(mem, 0), (word)i, how);
        put_line(AT(mem, STRIDE), (word)i);
    }
    return sum;
}

TWIN(request)
TWIN(respond)

/* bilateral exchange: both publish at once, then each waits for the other; two buffers, so that nobody overwrites a
 * line that is still being read. arg is the side, 0 or 1. */

ALWAYS_INLINE word exchange_at(word *mem, int64_t start, int64_t count, int64_t arg, const int how) {
    word sum = 0;
    for (int64_t i = start + 1; i <= start + count; i++) {
        int64_t buffer = (i & 1) * 2 * STRIDE;
        put_line(AT(mem, buffer + arg * STRIDE), (word)i);
        sum += await_line(AT(mem, buffer + (1 - arg) * STRIDE), (word)i, how);
    }
    return sum;
}

TWIN(exchange)
