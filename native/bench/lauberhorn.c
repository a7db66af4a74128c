/* C twin of a request of one line of 64 bytes behind Lauberhorn's NIC: the same bytes and steps as the production ends
 * (NicLines, CpuLines, UserThread). The core announces a load, the NIC answers it with a line, the core jumps to the
 * handler that the line names, writes the result into the line and announces the load of the other one; the NIC takes the
 * line back. */
#include "pace.h"

#define LOAD_WORD 0
#define CONTROL 128
#define LINE 64
#define KIND_REQUEST 2
#define KIND_REPLY 8
#define KIND_LOAD 12
#define HANDLERS 4

#define HEAD(kind, n) ((word)(kind) << 56 | (word)1 << 48 | (word)1 << 32 | (word)(uint32_t)(n))
#define CONTROL_LINE(mem, n) ((word *)((char *)(mem) + CONTROL + ((n) & 1) * LINE))

typedef word (*handler)(const word *arguments);

static word handle0(const word *a) { return a[0] + a[1] + a[2] + a[3]; }
static word handle1(const word *a) { return a[0] + a[1] + a[2] + a[3] + 1; }
static word handle2(const word *a) { return a[0] + a[1] + a[2] + a[3] + 2; }
static word handle3(const word *a) { return a[0] + a[1] + a[2] + a[3] + 3; }

static const handler handlers[HANDLERS] = { handle0, handle1, handle2, handle3 };

ALWAYS_INLINE word rpc_nic_at(word *mem, int64_t start, int64_t count, int64_t arg, const int how) {
    (void)arg;
    word sum = 0;
    for (int64_t i = start + 1; i <= start + count; i++) {
        while (load_acquire(mem + LOAD_WORD) != HEAD(KIND_LOAD, i)) {
            pace(how);
        }
        word *line = CONTROL_LINE(mem, i);
        for (word k = 0; k < 4; k++) {
            line[4 + k] = (word)i + k;
        }
        line[3] = 0;
        line[2] = (word)i % HANDLERS;
        line[1] = 32;
        store_release(line, HEAD(KIND_REQUEST, i));
        while (load_acquire(mem + LOAD_WORD) != HEAD(KIND_LOAD, i + 1)) {
            pace(how);
        }
        if (load_acquire(line) == HEAD(KIND_REPLY, i) && (uint32_t)line[1] == 8) {
            sum += line[2];
        }
    }
    return sum;
}

ALWAYS_INLINE word rpc_core_at(word *mem, int64_t start, int64_t count, int64_t arg, const int how) {
    (void)arg;
    word sum = 0;
    if (start == 0) {
        store_release(mem + LOAD_WORD, HEAD(KIND_LOAD, 1));
    }
    for (int64_t i = start + 1; i <= start + count; i++) {
        word *line = CONTROL_LINE(mem, i);
        while (load_acquire(line) != HEAD(KIND_REQUEST, i)) {
            pace(how);
        }
        word result = handlers[line[2] % HANDLERS](line + 4);
        sum += result;
        line[1] = 8;
        line[2] = result;
        store_release(line, HEAD(KIND_REPLY, i));
        store_release(mem + LOAD_WORD, HEAD(KIND_LOAD, i + 1));
    }
    return sum;
}

TWIN(rpc_nic)
TWIN(rpc_core)
