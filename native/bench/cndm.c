/* Forwarding on cndm's rings, by a driver that does what the Java driver does: poll completions, hand out a burst, refill,
 * describe, commit, reclaim. The card is the Java model, whose registers are written by
 * a call back into Java, or a device here that completes at once and whose doorbells are memory. */
#include "pace.h"

#define BURST 32
#define AT_ONCE 256
#define LOG 9
#define RING (1 << LOG)
#define BUFFERS (2 * RING)
#define BUFFER_BYTES 2048
#define LENGTH 64
/* A remembered buffer: its index, and whose it is. */
#define OWNER_SHIFT 27
#define OF_RX (1 << OWNER_SHIFT)

/* The device. Its state is made by whoever has the rings; the order of the fields is known to CndmPeer.java. */
struct peer {
    word *rx_descriptors;
    word *rx_completions;
    word *tx_descriptors;
    word *tx_completions;
    uint32_t *rx_doorbell;
    uint32_t *tx_doorbell;
    word ring_mask;
    word log_completions;
    word rx_index;
    word tx_index;
};

ALWAYS_INLINE void complete(struct peer *p, word *ring, word index, word length) {
    word *entry = ring + (index & ((1ull << p->log_completions) - 1)) * 2;
    entry[0] = length << 32;
    store_release(entry + 1, (~(index >> p->log_completions) & 1) << 63);
}

static __attribute__((noinline)) void peer_step(struct peer *p, int64_t most) {
    uint16_t rx_producer = (uint16_t)__atomic_load_n(p->rx_doorbell, __ATOMIC_ACQUIRE);
    for (int64_t i = 0; i < most && (uint16_t)p->rx_index != rx_producer; i++, p->rx_index++) {
        word *descriptor = p->rx_descriptors + (p->rx_index & p->ring_mask) * 2;
        complete(p, p->rx_completions, p->rx_index, (descriptor[0] >> 32 & 0xffff) < LENGTH || !descriptor[1] ? 0 : LENGTH);
    }
    uint16_t tx_producer = (uint16_t)__atomic_load_n(p->tx_doorbell, __ATOMIC_ACQUIRE);
    for (; (uint16_t)p->tx_index != tx_producer; p->tx_index++) {
        word *descriptor = p->tx_descriptors + (p->tx_index & p->ring_mask) * 2;
        complete(p, p->tx_completions, p->tx_index, descriptor[1] ? descriptor[0] >> 32 & 0xffff : 0);
    }
}

int64_t cndm_peer(word *mem, int64_t start, int64_t count, int64_t arg, int64_t how) {
    (void)start, (void)arg, (void)how;
    peer_step((struct peer *)mem, count);
    return count;
}

/* The driver. */
struct entry {
    word offset;
    word token;
    word nanos;
    int32_t length;
    int32_t flags;
    int32_t hash;
    int32_t checksum;
};

struct batch {
    struct entry entries[BURST];
    int size;
};

struct queue {
    word *descriptors;
    word *completions;
    uint32_t doorbell;
    uint32_t completion_doorbell;
    char *buffers;
    uint32_t head, tail, seen, taken, acknowledged;
    int32_t lengths[RING];
    int32_t slots[RING];
    int32_t free[BUFFERS];
    int free_count;
    word packets, bytes, doorbells, ran_dry;
};

struct driver {
    struct peer peer;
    struct queue rx, tx;
    struct batch batch;
    void (*write)(uint32_t offset, uint32_t value);
    word writes;
    int ready;
    uint32_t doorbells[0x8000 / 4];
    _Alignas(4096) word rx_descriptors[RING * 2];
    word tx_descriptors[RING * 2];
    word rx_completions[RING * 2 * 2];
    word tx_completions[RING * 2 * 2];
    char rx_buffers[(word)BUFFERS * BUFFER_BYTES];
    char tx_buffers[(word)BUFFERS * BUFFER_BYTES]; /* of frames that a program writes; these have none */
};

ALWAYS_INLINE word *completion_of(struct queue *q, uint32_t index) {
    return q->completions + (word)(index & (RING * 2 - 1)) * 2;
}

ALWAYS_INLINE uint32_t done(struct queue *q) {
    uint32_t most = q->taken + RING + 1;
    while (q->seen != most && (load_acquire(completion_of(q, q->seen) + 1) >> 63) != (q->seen >> (LOG + 1) & 1)) {
        q->seen++;
    }
    return q->seen - q->head;
}

ALWAYS_INLINE void ring(struct driver *d, uint32_t doorbell, uint32_t value) {
    if (d->write) {
        __atomic_thread_fence(__ATOMIC_RELEASE);
        d->write(0x20000 + doorbell, value & 0xffff);
    } else {
        __atomic_store_n(&d->doorbells[doorbell / 4], value & 0xffff, __ATOMIC_RELEASE);
    }
    d->writes++;
}

ALWAYS_INLINE void give(struct queue *q, int32_t buffer, const char *address, int32_t length) {
    uint32_t slot = q->tail & (RING - 1);
    q->lengths[slot] = length;
    q->descriptors[slot * 2] = (word)(uint32_t)length << 32;
    q->descriptors[slot * 2 + 1] = (word)(uintptr_t)address;
    q->slots[slot] = buffer;
    q->tail++;
}

ALWAYS_INLINE void tell(struct driver *d, struct queue *q) {
    if (q->taken - q->acknowledged >= RING / 2) {
        q->acknowledged = q->taken;
        ring(d, q->completion_doorbell, q->taken);
    }
    ring(d, q->doorbell, q->tail);
    q->doorbells++;
}

/* The buffer of the oldest descriptor that is done; -1 if it was never given. */
ALWAYS_INLINE int32_t take(struct queue *q) {
    uint32_t slot = q->head & (RING - 1);
    int32_t buffer = q->slots[slot];
    q->slots[slot] = -1;
    q->head++;
    q->taken++;
    return buffer;
}

static void refill(struct driver *d) {
    struct queue *q = &d->rx;
    uint32_t before = q->tail;
    while (q->tail - q->head < RING && q->free_count > 0) {
        int32_t buffer = q->free[--q->free_count];
        give(q, buffer, q->buffers + (word)buffer * BUFFER_BYTES, BUFFER_BYTES);
    }
    if (q->tail != before) {
        tell(d, q);
    }
}

static int poll(struct driver *d) {
    struct queue *q = &d->rx;
    struct batch *b = &d->batch;
    uint32_t complete = done(q);
    int ready = complete < BURST ? (int)complete : BURST;
    if (ready == 0) {
        return 0;
    }
    q->ran_dry += complete == q->tail - q->head;
    word bytes = 0;
    for (int i = 0; i < ready; i++) {
        int32_t length = (int32_t)(completion_of(q, q->head)[0] >> 32 & 0xffff);
        int32_t most = q->lengths[q->head & (RING - 1)];
        int32_t buffer = take(q);
        if (buffer < 0 || length == 0 || length > most) {
            return -1;
        }
        b->entries[i] = (struct entry){.offset = (word)buffer * BUFFER_BYTES, .token = (word)buffer, .nanos = (word)-1,
            .length = length};
        bytes += (word)length;
    }
    b->size = ready;
    q->packets += (word)ready;
    q->bytes += bytes;
    refill(d);
    return ready;
}

static int reclaim(struct driver *d) {
    struct queue *q = &d->tx;
    uint32_t complete = done(q);
    for (uint32_t i = 0; i < complete; i++) {
        int32_t buffer = take(q);
        struct queue *owner = buffer >> OWNER_SHIFT ? &d->rx : q;
        if (buffer < 0 || owner->free_count == BUFFERS) {
            return -1;
        }
        owner->free[owner->free_count++] = buffer & (OF_RX - 1);
    }
    return (int)complete;
}

/* Frames are sent from the buffers that they were received into. */
static void transmit(struct driver *d) {
    struct queue *q = &d->tx;
    struct batch *b = &d->batch;
    word bytes = 0;
    int i = 0;
    for (; i < b->size; i++) {
        const struct entry *e = &b->entries[i];
        int32_t length = e->length;
        if (length < 14 || length > 1518) {
            continue;
        }
        if ((q->tail - q->head == RING && reclaim(d) <= 0) || e->offset + (word)(uint32_t)length > sizeof d->rx_buffers) {
            break;
        }
        give(q, OF_RX | (int32_t)e->token, d->rx.buffers + e->offset, length);
        bytes += (word)length;
    }
    q->packets += (word)i;
    q->bytes += bytes;
    b->size = 0;
    tell(d, q);
}

static void make_queue(struct queue *q, word *descriptors, word *completions, uint32_t number, char *buffers) {
    *q = (struct queue){.descriptors = descriptors, .completions = completions, .doorbell = 32 * number + 0x08,
        .completion_doorbell = 0x4000 + 32 * number + 0x0c, .buffers = buffers};
    for (int i = 0; i < RING; i++) {
        q->slots[i] = -1;
    }
    for (int i = 0; i < BUFFERS; i++) {
        q->free[q->free_count++] = BUFFERS - 1 - i;
    }
}

static void make_ready(struct driver *d) {
    make_queue(&d->rx, d->rx_descriptors, d->rx_completions, 0, d->rx_buffers);
    make_queue(&d->tx, d->tx_descriptors, d->tx_completions, 1, d->tx_buffers);
    d->peer = (struct peer){d->rx_descriptors, d->rx_completions, d->tx_descriptors, d->tx_completions,
        &d->doorbells[d->rx.doorbell / 4], &d->doorbells[d->tx.doorbell / 4], RING - 1, LOG + 1, 0, 0};
    refill(d);
    d->ready = 1;
}

/* Where one of four rings is, in the order in which the Java driver creates their queues; arg: what writes registers. */
int64_t cndm_ring(word *mem, int64_t start, int64_t count, int64_t arg, int64_t how) {
    (void)count, (void)how;
    struct driver *d = (struct driver *)mem;
    word *rings[] = {d->rx_completions, d->rx_descriptors, d->tx_completions, d->tx_descriptors};
    d->write = (void (*)(uint32_t, uint32_t))arg;
    return (int64_t)rings[start];
}

/* mem holds a struct driver, zeroed at first. Forwards count packets, count a multiple of the burst; on the model some more. */
int64_t cndm_forward(word *mem, int64_t start, int64_t count, int64_t arg, int64_t how) {
    (void)start, (void)arg, (void)how;
    struct driver *d = (struct driver *)mem;
    if (!d->ready) {
        make_ready(d);
    }
    int64_t sum = 0;
    while (sum < count) {
        int got = poll(d);
        if (got < 0) {
            return -1;
        }
        if (got == 0) {
            if (d->write) {
                d->write(0, 0); /* no register: lets the model move frames */
            } else {
                peer_step(&d->peer, AT_ONCE);
            }
            reclaim(d);
            continue;
        }
        transmit(d);
        sum += got;
    }
    return sum;
}

/* Register writes of a driver in mem so far. */
int64_t cndm_writes(word *mem, int64_t start, int64_t count, int64_t arg, int64_t how) {
    (void)start, (void)count, (void)arg, (void)how;
    return (int64_t)((struct driver *)mem)->writes;
}
