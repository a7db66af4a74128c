/* The same queue written out as two loops that keep all state in registers and publish each message at once: not a ring
 * that a program could call, but the fastest form in C. arg is batch | capacity << 32. */
#include "pace.h"

#define CREDIT(mem) (mem)
#define SLOT(mem, n, mask) ((mem) + 32 + (((n) & (mask)) << 3))

ALWAYS_INLINE word slot_send_at(word *mem, int64_t start, int64_t count, int64_t arg, const int how) {
    word batch = (word)arg & 0xffffffff;
    word capacity = (word)arg >> 32;
    word mask = capacity - 1;
    word n = (word)start;
    word end = n + (word)count;
    word credit = load_acquire(CREDIT(mem)) + capacity;
    while (n < end) {
        word upto = n + batch < end ? n + batch : end;
        while (credit < upto) {
            credit = load_acquire(CREDIT(mem)) + capacity;
            if (credit < upto) {
                pace(how);
            }
        }
        for (; n < upto; n++) {
            word *slot = SLOT(mem, n, mask);
            for (word k = 1; k < 8; k++) {
                slot[k] = n + k;
            }
            store_release(slot, n + 1);
        }
    }
    return checksum((word)start, (word)count);
}

ALWAYS_INLINE word slot_receive_at(word *mem, int64_t start, int64_t count, int64_t arg, const int how) {
    word batch = (word)arg & 0xffffffff;
    word capacity = (word)arg >> 32;
    word mask = capacity - 1;
    word credit_batch = capacity / 8;
    word n = (word)start;
    word end = n + (word)count;
    word returned = n;
    word sum = 0;
    while (n < end) {
        word limit = n + batch < end ? n + batch : end;
        word upto = n;
        while (upto < limit && load_acquire(SLOT(mem, upto, mask)) == upto + 1) {
            upto++;
        }
        if (upto == n) {
            if (returned != n) {
                returned = n;
                store_release(CREDIT(mem), n);
            }
            pace(how);
            continue;
        }
        for (; n < upto; n++) {
            const word *slot = SLOT(mem, n, mask);
            for (int k = 1; k < 8; k++) {
                sum += slot[k];
            }
        }
        if (n - returned >= credit_batch) {
            returned = n;
            store_release(CREDIT(mem), n);
        }
    }
    store_release(CREDIT(mem), n);
    return sum;
}

TWIN(slot_send)
TWIN(slot_receive)
