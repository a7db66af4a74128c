/* C twin of a request of one line of 64 bytes behind Lauberhorn's NIC: the same bytes, steps and checks as the production
 * ends (NicLines and NicEndpoint, CpuLines and CpuEndpoint, UserThread). The core announces a load, the NIC answers it with
 * a line, the core jumps to the handler that the line names, writes the result into the line and announces the load of the
 * other one; the NIC takes the line back.
 *
 * What production checks is checked here: that the memory is open and each line lies in it; owner, life and number of each
 * load, line and reply; the kind of each; the endpoint's phase; that lengths fit; that the code pointer names a handler.
 * The core reads arguments where they lie, which is the quickest way in C. */
#include "pace.h"

#define LOAD_WORD 0
#define CONTROL 128
#define LINE 64
#define OVERFLOW_IN (CONTROL + 2 * LINE)
#define OVERFLOW_OUT OVERFLOW_IN
#define WINDOW_BYTES 4096
#define NIC_AT 4096
#define CORE_AT 6144

#define REQUEST_WORDS 4
#define REPLY_WORDS 2
#define LINE_WORDS 8
#define BY_DMA ((word)1 << 32)
#define KIND_REQUEST 2
#define KIND_READY 7
#define KIND_REPLY 8
#define KIND_FAILED 9
#define KIND_RESET 11
#define KIND_LOAD 12
#define KIND_MASK ((word)0xff << 56)
#define LOST (-1)
#define HANDLERS 4
#define MOST_RESULT 16
#define ENDLESS (INT64_MAX / 2)

enum phase { IDLE, FETCHING, HELD };

/* The NIC's half: NicEndpoint and NicLines. */
struct nic {
    uint32_t begun, owner, epoch, filled;
    uint8_t phase, serving, closed;
    int64_t size_bytes, deadline;
    word head, last_stray, strays, lines_moved;
    word back_head, back_size;
    word payload[4];
    word result[MOST_RESULT];
};

/* The core's half: CpuEndpoint, CpuLines, UserThread. */
struct core {
    uint32_t begun, owner, epoch, number, handlers;
    uint8_t closed;
    int64_t size_bytes, line;
    word served, failed;
    int result_words;
    word result[MOST_RESULT];
};

_Static_assert(sizeof(struct nic) <= CORE_AT - NIC_AT && sizeof(struct core) <= 8192 - CORE_AT, "8192 bytes");

ALWAYS_INLINE word head_of(word kind, uint32_t epoch, uint32_t owner, uint32_t number) {
    return kind << 56 | (word)epoch << 48 | (word)owner << 32 | number;
}

/* The word or line at an offset of the window, which must be open and have it. */
ALWAYS_INLINE word *at(word *mem, uint8_t closed, int64_t size_bytes, int64_t offset, int64_t bytes) {
    if (closed || (offset & 7) != 0 || (uint64_t)offset > (uint64_t)(size_bytes - bytes)) {
        __builtin_trap();
    }
    return (word *)((char *)mem + offset);
}

/* ---- the NIC ---- */

ALWAYS_INLINE int64_t control(uint32_t number) { return CONTROL + (int64_t)(number & 1) * LINE; }

/* NicLines.poll: whether a load is held or its line comes back. */
ALWAYS_INLINE int poll(word *mem, struct nic *n, int64_t now, int64_t limit) {
    word found = load_acquire(at(mem, n->closed, n->size_bytes, LOAD_WORD, 8));
    if (found != head_of(KIND_LOAD, n->epoch, n->owner, n->filled + 1)) {
        if (found != n->last_stray) {
            n->last_stray = found;
            word old = head_of(0, n->epoch, n->owner, n->filled);
            n->strays += (found & ~KIND_MASK) == old || found == 0 ? 0 : 1;
        }
        return 0;
    }
    if (n->phase != IDLE) {
        return 0;
    }
    n->deadline = now + limit;
    if (!n->serving) {
        n->phase = HELD;
        return 1;
    }
    word *line = at(mem, n->closed, n->size_bytes, control(n->filled), LINE);
    n->back_head = load_acquire(line);
    n->back_size = line[1];
    n->phase = FETCHING;
    return 1;
}

/* NicLines.fill of a request. */
ALWAYS_INLINE void fill(word *mem, struct nic *n, word code, word data, const word *payload, int bytes, word flags) {
    if (n->phase != HELD) {
        return;
    }
    n->phase = IDLE;
    n->filled++;
    n->serving = 1;
    n->head = head_of(KIND_REQUEST, n->epoch, n->owner, n->filled);
    int words = (bytes + 7) >> 3;
    int in_line = flags & BY_DMA ? 0 : words < LINE_WORDS - REQUEST_WORDS ? words : LINE_WORDS - REQUEST_WORDS;
    n->lines_moved += 1 + (((words - in_line) * 8 + LINE - 1) >> 6);
    for (int i = in_line; i < words; i++) {
        store_release(at(mem, n->closed, n->size_bytes, OVERFLOW_IN + (i - in_line) * 8, 8), payload[i]);
    }
    word *line = at(mem, n->closed, n->size_bytes, control(n->filled), LINE);
    for (int i = 0; i < LINE_WORDS - REQUEST_WORDS; i++) {
        line[REQUEST_WORDS + i] = i < in_line ? payload[i] : 0;
    }
    line[3] = data;
    line[2] = code;
    line[1] = flags | (word)bytes;
    store_release(line, n->head);
}

/* Whether what came back is a reply to the newest fill, of bytes that fit; its words go into the NIC's. */
ALWAYS_INLINE int take_back(word *mem, struct nic *n, word expected_bytes) {
    word kind = n->back_head >> 56;
    int bytes = (int)n->back_size;
    if ((kind != KIND_REPLY && kind != KIND_FAILED)
        || (n->back_head & ~KIND_MASK) != head_of(0, n->epoch, n->owner, n->filled)
        || n->back_size != expected_bytes || bytes < 0 || bytes > MOST_RESULT * 8) {
        return 0;
    }
    const word *line = at(mem, n->closed, n->size_bytes, control(n->filled), LINE);
    int words = (bytes + 7) >> 3;
    int in_line = words < LINE_WORDS - REPLY_WORDS ? words : LINE_WORDS - REPLY_WORDS;
    n->lines_moved += 1 + (((words - in_line) * 8 + LINE - 1) >> 6);
    for (int i = 0; i < in_line; i++) {
        n->result[i] = line[REPLY_WORDS + i];
    }
    for (int i = in_line; i < words; i++) {
        n->result[i] = load_acquire(at(mem, n->closed, n->size_bytes, OVERFLOW_OUT + (i - in_line) * 8, 8));
    }
    if (n->phase == FETCHING) {
        n->serving = 0;
        n->phase = HELD;
    }
    return 1;
}

ALWAYS_INLINE void await_load(word *mem, struct nic *n, const int how) {
    while (n->phase != HELD && n->phase != FETCHING && !poll(mem, n, 0, ENDLESS)) {
        pace(how);
    }
}

ALWAYS_INLINE word rpc_nic_at(word *mem, int64_t start, int64_t count, int64_t arg, const int how) {
    (void)arg;
    struct nic *n = (struct nic *)((char *)mem + NIC_AT);
    if (!n->begun) {
        n->begun = n->owner = n->epoch = 1;
        n->size_bytes = WINDOW_BYTES;
    }
    word sum = 0;
    for (int64_t i = start + 1; i <= start + count; i++) {
        await_load(mem, n, how);
        for (word k = 0; k < 4; k++) {
            n->payload[k] = (word)i + k;
        }
        fill(mem, n, (word)i % HANDLERS, 0, n->payload, 32, 0);
        await_load(mem, n, how);
        if (!take_back(mem, n, 8)) {
            return ~(word)0;
        }
        sum += n->result[0];
    }
    return sum;
}

/* ---- the core ---- */

/* What a handler sees of a request, and where its results go. */
struct call {
    const word *arguments;
    struct core *core;
};

typedef void (*handler)(const struct call *call);

ALWAYS_INLINE void set_word(struct core *c, int place, word value) {
    if (place >= MOST_RESULT) {
        __builtin_trap();
    }
    for (int i = c->result_words; i <= place; i++) {
        c->result[i] = 0;
    }
    c->result_words = place >= c->result_words ? place + 1 : c->result_words;
    c->result[place] = value;
}

ALWAYS_INLINE void sum4(const struct call *call, word which) {
    const word *a = call->arguments;
    set_word(call->core, 0, a[0] + a[1] + a[2] + a[3] + which);
}

static void handler0(const struct call *call) { sum4(call, 0); }
static void handler1(const struct call *call) { sum4(call, 1); }
static void handler2(const struct call *call) { sum4(call, 2); }
static void handler3(const struct call *call) { sum4(call, 3); }

static const handler handlers[HANDLERS] = { handler0, handler1, handler2, handler3 };

/* CpuLines.announce: the load of the other line leaves. */
ALWAYS_INLINE void announce(word *mem, struct core *c) {
    c->number++;
    c->line = control(c->number);
    store_release(at(mem, c->closed, c->size_bytes, LOAD_WORD, 8), head_of(KIND_LOAD, c->epoch, c->owner, c->number));
}

/* CpuLines.look: a kind, LOST, or 0 while the load is held. */
ALWAYS_INLINE int look(word *mem, struct core *c) {
    word head = load_acquire(at(mem, c->closed, c->size_bytes, c->line, LINE));
    int kind = (int)(head >> 56);
    if ((head & ~KIND_MASK) == head_of(0, c->epoch, c->owner, c->number)) {
        return kind;
    }
    int is_from_nic = (kind >= 1 && kind <= KIND_READY) || kind == KIND_RESET;
    return ((head >> 48) & 0xff) != c->epoch && is_from_nic ? LOST : 0;
}

/* UserThread.request: jumps to where the line says; what comes back lies in it. */
ALWAYS_INLINE void request(word *mem, struct core *c) {
    word *line = at(mem, c->closed, c->size_bytes, c->line, LINE);
    struct call call = { line[1] & BY_DMA ? (word *)((char *)mem + OVERFLOW_IN) : line + REQUEST_WORDS, c };
    uint32_t code = (uint32_t)line[2];
    c->result_words = 0;
    if (code >= c->handlers) {
        c->failed++;
        line[1] = 0;
        store_release(line, head_of(KIND_FAILED, c->epoch, c->owner, c->number));
        return;
    }
    handlers[code](&call);
    int words = c->result_words;
    if (words * 8 > MOST_RESULT * 8) {
        __builtin_trap();
    }
    for (int i = 0; i < words; i++) {
        if (i < LINE_WORDS - REPLY_WORDS) {
            line[REPLY_WORDS + i] = c->result[i];
        } else {
            int64_t rest = OVERFLOW_OUT + (i - (LINE_WORDS - REPLY_WORDS)) * 8;
            store_release(at(mem, c->closed, c->size_bytes, rest, 8), c->result[i]);
        }
    }
    line[1] = (word)words * 8;
    store_release(line, head_of(KIND_REPLY, c->epoch, c->owner, c->number));
    c->served++;
}

ALWAYS_INLINE word rpc_core_at(word *mem, int64_t start, int64_t count, int64_t arg, const int how) {
    (void)start;
    (void)arg;
    struct core *c = (struct core *)((char *)mem + CORE_AT);
    if (!c->begun) {
        c->begun = c->owner = c->epoch = 1;
        c->size_bytes = WINDOW_BYTES;
        c->handlers = HANDLERS;
        announce(mem, c);
    }
    word sum = 0;
    for (int64_t i = 0; i < count; i++) {
        int kind = look(mem, c);
        while (kind == 0) {
            pace(how);
            kind = look(mem, c);
        }
        if (kind != KIND_REQUEST) {
            return ~(word)1;
        }
        request(mem, c);
        sum += c->result[0];
        announce(mem, c);
    }
    return sum;
}

TWIN(rpc_nic)
TWIN(rpc_core)
