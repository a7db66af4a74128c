/* A minimal event loop: jobs arrive, wait in one queue for one of a few servers, and leave; no scheduler, no messages, no
 * costs. The twin of EventLoop.java: the same events in the same order, and so the same checksum. Times are whole, gaps
 * and services come from xorshift64. The next event of each actor is a leaf of a tournament tree. arg is the number of
 * servers, at most 1024; count is the number of events, start seeds the numbers. */
#include "pace.h"

#define MOST 2048
#define NEVER INT64_MAX
#define WAITING 65536

struct loop {
    int64_t due[MOST];
    int32_t winner[MOST];
    int64_t arrived[MOST];
    int64_t waiting[WAITING];
};

static inline word next_random(word *state) {
    word x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *state = x;
    return x;
}

static inline void set_due(struct loop *s, int leaves, int actor, int64_t time) {
    s->due[actor] = time;
    int node = (leaves + actor) >> 1;
    int best = s->due[actor | 1] < s->due[actor & -2] ? actor | 1 : actor & -2;
    for (;;) {
        int before = s->winner[node];
        s->winner[node] = best;
        if (node == 1 || (before == best && best != actor)) {
            return;
        }
        int other = s->winner[node ^ 1];
        int left = node & 1 ? other : best;
        int right = node & 1 ? best : other;
        node >>= 1;
        best = s->due[right] < s->due[left] ? right : left;
    }
}

word event_loop(word *mem, int64_t start, int64_t count, int64_t arg, int64_t how) {
    (void)how;
    struct loop *s = (struct loop *)mem;
    int servers = (int)arg;
    int leaves = 2;
    while (leaves < servers + 1) {
        leaves *= 2;
    }
    for (int i = 0; i < leaves; i++) {
        s->due[i] = NEVER;
    }
    for (int node = leaves - 1; node > 0; node--) {
        s->winner[node] = 2 * node >= leaves ? 2 * node - leaves : s->winner[2 * node];
    }
    word random = (word)start * 0x9e3779b97f4a7c15u | 1;
    word gap = 2 * (word)(1000 / servers) + 1; /* load 0.9 of services of about 900 */
    int head = 0;
    int tail = 0;
    int idle = servers;
    word sum = 0;
    set_due(s, leaves, servers, 0);
    for (int64_t i = 0; i < count; i++) {
        int actor = s->winner[1];
        int64_t now = s->due[actor];
        if (actor == servers) {
            set_due(s, leaves, servers, now + 1 + (int64_t)((next_random(&random) >> 33) * gap >> 31));
            if (idle == 0) {
                if (tail - head < WAITING) {
                    s->waiting[tail++ & (WAITING - 1)] = now;
                }
            } else {
                int server = 0;
                while (s->due[server] != NEVER) {
                    server++;
                }
                idle--;
                s->arrived[server] = now;
                set_due(s, leaves, server, now + 1 + (int64_t)((next_random(&random) >> 33) * 1800 >> 31));
            }
        } else {
            sum += (word)(now - s->arrived[actor]);
            if (head == tail) {
                idle++;
                set_due(s, leaves, actor, NEVER);
            } else {
                s->arrived[actor] = s->waiting[head++ & (WAITING - 1)];
                set_due(s, leaves, actor, now + 1 + (int64_t)((next_random(&random) >> 33) * 1800 >> 31));
            }
        }
    }
    return sum;
}
