/* C twin of dev.bascule.ring: same bytes, same credit rule, same calls. An end is an object in memory of its own, as
 * in any ring that is a library; its calls are inlined into the loop. arg is batch | capacity << 32. */
#include "pace.h"

#define CREDIT_WORD 0
#define SLOTS_WORD 32
#define PRODUCER_WORD(capacity) (SLOTS_WORD + (capacity) * 8 + 32)
#define CONSUMER_WORD(capacity) (PRODUCER_WORD(capacity) + 64)

struct end {
    word *mem;
    word mask;
    word position;
    word found;
    word credit;
};

ALWAYS_INLINE word *slot(const struct end *e, word message) {
    return e->mem + SLOTS_WORD + ((message & e->mask) << 3);
}

ALWAYS_INLINE void fill(word *line, word n) {
    for (word k = 1; k < 8; k++) {
        line[k] = n + k;
    }
}

ALWAYS_INLINE word free_slots(struct end *e, word wanted) {
    word known = e->credit - e->position;
    if (known < wanted) {
        word consumed = load_acquire(e->mem + CREDIT_WORD);
        if (consumed <= e->position) {
            e->credit = consumed + e->mask + 1;
        }
        known = e->credit - e->position;
    }
    return known < wanted ? known : wanted;
}

ALWAYS_INLINE void post(struct end *e, word n) {
    word *line = slot(e, e->position);
    fill(line, n);
    store_release(line, e->position + 1);
    e->position++;
}

ALWAYS_INLINE void write_at(struct end *e, word index, word n) {
    word message = e->position + index;
    word *line = slot(e, message);
    fill(line, n);
    if (index != 0) {
        *line = message + 1;
    }
}

ALWAYS_INLINE void commit(struct end *e, word count) {
    word first = e->position;
    store_release(slot(e, first), first + 1);
    e->position = first + count;
}

ALWAYS_INLINE int return_credit(struct end *e) {
    if (e->credit == e->position) {
        return 0;
    }
    e->credit = e->position;
    store_release(e->mem + CREDIT_WORD, e->position);
    return 1;
}

ALWAYS_INLINE word peek(struct end *e, word max) {
    word found = e->found - e->position;
    if (found < max) {
        word m = e->found;
        word end = e->position + (max < 16 ? 16 : max);
        while (m != end && load_acquire(slot(e, m)) == m + 1) {
            m++;
        }
        e->found = m;
        found = m - e->position;
        if (found == 0 && !return_credit(e) && load_acquire(e->mem + CREDIT_WORD) < e->credit) {
            store_release(e->mem + CREDIT_WORD, e->credit); /* the end of a former ring wrote over it */
        }
    }
    return found < max ? found : max;
}

ALWAYS_INLINE void consume(struct end *e, word count) {
    e->position += count;
    if (e->position - e->credit >= (e->mask + 1) / 8) {
        return_credit(e);
    }
}

ALWAYS_INLINE struct end *end_at(word *mem, word offset, word capacity, word credit) {
    struct end *e = (struct end *)(mem + offset);
    if (e->mem == 0) {
        e->mem = mem;
        e->mask = capacity - 1;
        e->credit = credit;
    }
    return e;
}

ALWAYS_INLINE word ring_send_at(word *mem, int64_t start, int64_t count, int64_t arg, const int how) {
    word batch = (word)arg & 0xffffffff;
    word capacity = (word)arg >> 32;
    struct end *e = end_at(mem, PRODUCER_WORD(capacity), capacity, capacity);
    word end = (word)start + (word)count;
    for (word n = (word)start; n < end;) {
        word size = end - n < batch ? end - n : batch;
        while (free_slots(e, size) < size) {
            pace(how);
        }
        if (batch == 1) {
            post(e, n++);
        } else {
            for (word i = 0; i < size; i++, n++) {
                write_at(e, i, n);
            }
            commit(e, size);
        }
    }
    return checksum((word)start, (word)count);
}

ALWAYS_INLINE word ring_receive_at(word *mem, int64_t start, int64_t count, int64_t arg, const int how) {
    word batch = (word)arg & 0xffffffff;
    word capacity = (word)arg >> 32;
    struct end *e = end_at(mem, CONSUMER_WORD(capacity), capacity, 0);
    word end = (word)start + (word)count;
    word sum = 0;
    for (word n = (word)start; n < end;) {
        word found = peek(e, end - n < batch ? end - n : batch);
        if (found == 0) {
            pace(how);
            continue;
        }
        for (word i = 0; i < found; i++) {
            const word *line = slot(e, e->position + i);
            for (int k = 1; k < 8; k++) {
                sum += line[k];
            }
        }
        consume(e, found);
        n += found;
    }
    peek(e, 1);
    return sum;
}

TWIN(ring_send)
TWIN(ring_receive)
