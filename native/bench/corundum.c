/* Forwarding on Corundum's rings: a device that completes at once, and a driver that does what the Java driver does:
 * poll completions, hand out a burst, refill, describe, commit, reclaim. No packet data is touched on either side. */
#include "pace.h"

#define BURST 32
#define AT_ONCE 256
#define RING 512
#define BUFFERS 1024
#define BUFFER_BYTES 2048
#define LENGTH 64

/* The device. Its state is made by whoever has the rings; the order of the fields is known to CorundumPeer.java. */
struct peer {
    word *rx_descriptors;
    word *rx_completions;
    word *tx_descriptors;
    word *tx_completions;
    uint32_t *rx_command;
    uint32_t *tx_command;
    word rx_queue;
    word tx_queue;
    word ring_mask;
    word log_completions;
    word rx_index;
    word tx_index;
};

ALWAYS_INLINE void complete(struct peer *p, word *ring, word index, word queue, word seen) {
    word *record = ring + (index & ((1ull << p->log_completions) - 1)) * 4;
    record[0] = queue | (index & 0xffff) << 16 | (word)LENGTH << 32;
    record[1] = 0;
    record[2] = seen;
    store_release(record + 3, (~(index >> p->log_completions) & 1) << 63);
}

static __attribute__((noinline)) void peer_step(struct peer *p, int64_t most) {
    uint16_t rx_producer = (uint16_t)__atomic_load_n(p->rx_command, __ATOMIC_ACQUIRE);
    for (int64_t i = 0; i < most && (uint16_t)p->rx_index != rx_producer; i++, p->rx_index++) {
        complete(p, p->rx_completions, p->rx_index, p->rx_queue, p->rx_descriptors[(p->rx_index & p->ring_mask) * 2 + 1]);
    }
    uint16_t tx_producer = (uint16_t)__atomic_load_n(p->tx_command, __ATOMIC_ACQUIRE);
    for (; (uint16_t)p->tx_index != tx_producer; p->tx_index++) {
        word *descriptor = p->tx_descriptors + (p->tx_index & p->ring_mask) * 2;
        complete(p, p->tx_completions, p->tx_index, p->tx_queue, descriptor[0] + descriptor[1]);
    }
}

int64_t corundum_peer(word *mem, int64_t start, int64_t count, int64_t arg, int64_t how) {
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
    uint32_t *command;
    uint32_t *completion_command;
    uint32_t head, tail, next, acknowledged;
    int32_t flags;
    int32_t slots[RING];
    word packets, bytes, doorbells, ran_dry;
};

struct driver {
    struct peer peer;
    struct queue rx, tx;
    struct batch batch;
    int32_t free[BUFFERS];
    int free_count;
    int ready;
    uint32_t commands[4];
    _Alignas(4096) word rx_descriptors[RING * 2];
    word tx_descriptors[RING * 2];
    word rx_completions[RING * 2 * 4];
    word tx_completions[RING * 2 * 4];
};

/* What a card may say of a packet, and of a packet's hash. */
enum { HAS_CHECKSUM = 2, HAS_HASH = 4, TRANSPORT = 8, HASH_TYPES = 15, HASH_OF_PORTS = 12 };

/* A hash only with its type, which tells whether ports went into it. */
ALWAYS_INLINE int32_t said(word hash) {
    int32_t type = (int32_t)(hash >> 32);
    return HAS_CHECKSUM | (type & HASH_TYPES ? HAS_HASH : 0) | (type & HASH_OF_PORTS ? TRANSPORT : 0);
}

ALWAYS_INLINE word *record_of(struct queue *q, uint32_t index) {
    return q->completions + (word)(index & (RING * 2 - 1)) * 4;
}

ALWAYS_INLINE int is_complete(struct queue *q, uint32_t index) {
    return (load_acquire(record_of(q, index) + 3) >> 63) + (index / (RING * 2) & 1) == 1;
}

ALWAYS_INLINE word *peek(struct queue *q) { return is_complete(q, q->next) ? record_of(q, q->next) : 0; }

ALWAYS_INLINE void acknowledge(struct queue *q) {
    if (q->next - q->acknowledged >= RING / 2) {
        q->acknowledged = q->next;
        __atomic_store_n(q->completion_command, 0x80900000u | (q->next & 0xffff), __ATOMIC_RELEASE);
        q->doorbells++;
    }
}

static void refill(struct driver *d) {
    struct queue *q = &d->rx;
    uint32_t upto = q->head + RING;
    uint32_t posted = q->tail - q->head;
    if (posted == 0 || is_complete(q, q->next + posted - 1)) {
        q->ran_dry++;
    }
    while (q->tail != upto && d->free_count > 0) {
        int32_t buffer = d->free[--d->free_count];
        q->slots[q->tail & (RING - 1)] = buffer;
        q->descriptors[(q->tail & (RING - 1)) * 2 + 1] = 0x100000000ull + (word)buffer * BUFFER_BYTES;
        q->tail++;
    }
    __atomic_store_n(q->command, 0x80800000u | (q->tail & 0xffff), __ATOMIC_RELEASE);
    q->doorbells++;
}

static int poll(struct driver *d) {
    struct queue *q = &d->rx;
    struct batch *b = &d->batch;
    word bytes = 0;
    int size = b->size;
    word *record;
    while (size < BURST && (record = peek(q))) {
        word w = record[0];
        uint32_t slot = q->head & (RING - 1);
        int32_t buffer = q->slots[slot];
        if ((uint32_t)w != q->head << 16 || buffer < 0) {
            return -1;
        }
        q->slots[slot] = -1;
        q->head++;
        q->next++;
        int32_t length = (int32_t)(w >> 32 & 0xffff);
        if (length == 0 || length > BUFFER_BYTES) {
            return -1;
        }
        b->entries[size] = (struct entry){.offset = (word)buffer * BUFFER_BYTES, .token = (word)buffer, .nanos = (word)-1,
            .length = length, .flags = q->flags & said(record[2]), .hash = (int32_t)record[2], .checksum = (int32_t)(record[1] >> 48)};
        size++;
        bytes += (word)length;
    }
    q->packets += (word)(size - b->size);
    q->bytes += bytes;
    b->size = size;
    acknowledge(q);
    if (RING - (q->tail - q->head) >= 32) {
        refill(d);
    }
    return size;
}

static void reclaim(struct driver *d) {
    struct queue *q = &d->tx;
    word *record;
    while ((record = peek(q))) {
        uint32_t slot = q->head & (RING - 1);
        int32_t buffer = q->slots[slot];
        if ((uint32_t)record[0] != q->head << 16 || buffer < 0 || d->free_count == BUFFERS) {
            return;
        }
        q->slots[slot] = -1;
        d->free[d->free_count++] = buffer;
        q->head++;
        q->next++;
    }
    acknowledge(q);
}

static void transmit(struct driver *d) {
    struct queue *q = &d->tx;
    struct batch *b = &d->batch;
    if (q->tail - q->head >= 32) {
        reclaim(d);
    }
    word bytes = 0;
    uint32_t room = RING - (q->tail - q->head);
    int i = 0;
    for (; i < b->size && room > 0; i++, room--) {
        word *descriptor = q->descriptors + (q->tail & (RING - 1)) * 2;
        const struct entry *e = &b->entries[i];
        int32_t length = e->length;
        if (length < 14 || length > 1518 || (e->flags & 1)) {
            continue;
        }
        descriptor[0] = (word)(uint32_t)length << 32 | ((e->flags & 16) ? (word)(uint32_t)e->checksum << 16 : 0);
        descriptor[1] = 0x100000000ull + e->offset;
        q->slots[q->tail & (RING - 1)] = (int32_t)e->token;
        q->tail++;
        bytes += (word)length;
    }
    q->packets += (word)i;
    q->bytes += bytes;
    b->size = 0;
    __atomic_store_n(q->command, 0x80800000u | (q->tail & 0xffff), __ATOMIC_RELEASE);
    q->doorbells++;
}

static void make_ready(struct driver *d) {
    struct peer *p = &d->peer;
    d->rx = (struct queue){.descriptors = d->rx_descriptors, .completions = d->rx_completions,
        .command = &d->commands[0], .completion_command = &d->commands[1],
        .flags = HAS_CHECKSUM | HAS_HASH | TRANSPORT};
    d->tx = (struct queue){.descriptors = d->tx_descriptors, .completions = d->tx_completions,
        .command = &d->commands[2], .completion_command = &d->commands[3]};
    *p = (struct peer){d->rx_descriptors, d->rx_completions, d->tx_descriptors, d->tx_completions, &d->commands[0],
        &d->commands[2], 0, 0, RING - 1, 10, 0, 0};
    for (int i = 0; i < RING; i++) {
        d->rx.slots[i] = d->tx.slots[i] = -1;
    }
    for (int i = 0; i < BUFFERS; i++) {
        d->free[d->free_count++] = BUFFERS - 1 - i;
    }
    refill(d);
    d->ready = 1;
}

/* mem holds a struct driver, zeroed at first. Forwards count packets, count a multiple of the burst. */
int64_t corundum_forward(word *mem, int64_t start, int64_t count, int64_t arg, int64_t how) {
    (void)start, (void)arg, (void)how;
    struct driver *d = (struct driver *)mem;
    if (!d->ready) {
        make_ready(d);
    }
    int64_t done = 0;
    while (done < count) {
        int got = poll(d);
        if (got < 0) {
            return -1;
        }
        if (got == 0) {
            peer_step(&d->peer, AT_ONCE);
            reclaim(d);
            continue;
        }
        transmit(d);
        done += got;
    }
    return count;
}
