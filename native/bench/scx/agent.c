/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The C twin of the agent beside the kernel, for scripts/bench --lab scx: first in, first out, as dev.bascule.policy.FifoAgent
 * on dev.bascule.agent.QueueAgent, with the same books, over the same memory, by the same call for a CPU that sleeps.
 *
 *   agent RUN-DIRECTORY     of a host of the kernel's tasks in another process; ends when the host says so
 *
 * Formats: dev.bascule.agent.RegionHeader, AgentControl, HostControl and Message; dev.bascule.local.LocalLayout and Slot;
 * dev.bascule.ring.SlotRing; struct bsc_page of native/scx/layout.h.
 */
#define _GNU_SOURCE
#include <linux/bpf.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
#include "../../scx/layout.h"

enum { LINE = 64, PLACE = 256, HEADER = 0, HOST_CONTROL = 128, MAGIC_KIND_LOCAL = 1, MOST_CPUS = 64 };
enum { FLAG_RUNNABLE = 1, FLAG_ONCPU = 4, IN_USE = 1 };
enum { ABI = 3, READY = 1, SETTLED = 3, AT_SCHEDULE = 1, ASLEEP = 1 };
enum { BATCH = 64, LOOKS_AHEAD = 8, SPINS = 64, LEAST_SPINS = 4, NAP_MILLIS = 5, SHORT_NANOS = 20000, NONE = -1 };
enum where { ELSEWHERE, QUEUED, STAGED };

struct task {
    u64 affinity;
    u32 sequence, staged_sequence;
    s32 next, before;
    u8 known, where, waiting;
};

struct cpu {
    u64 part;       /* where its lines are */
    u32 staged, settled;
    u64 decision;   /* identity of the one that is open */
    s32 running;
    u8 available;
};

static u8 *region, *page;
static u64 status_at, bank, claims_at, outcomes_at, slots_at, position, credit, beats, observed;
static u32 cpu_count, task_count, entries, epoch, generation;
static s32 first = NONE, last = NONE;
static struct task *tasks;
static struct cpu cpus[MOST_CPUS];
static int bell, ring;
static u64 *bell_read, *bell_written, calls;

static u64 get(u64 at) { return __atomic_load_n((u64 *)(region + at), __ATOMIC_ACQUIRE); }
static void put(u64 at, u64 value) { __atomic_store_n((u64 *)(region + at), value, __ATOMIC_RELEASE); }
static u64 page_get(u64 at) { return __atomic_load_n((u64 *)(page + at), __ATOMIC_ACQUIRE); }
static void page_put(u64 at, u64 value) { __atomic_store_n((u64 *)(page + at), value, __ATOMIC_RELEASE); }
static u64 up(u64 bytes, u64 to) { return (bytes + to - 1) & -to; }

static u64 now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void die(const char *what)
{
    perror(what);
    exit(1);
}

/* ---- the queue ------------------------------------------------------------------------------------------------------- */

static void enqueue(s32 id)
{
    tasks[id].before = last;
    tasks[id].next = NONE;
    *(last == NONE ? &first : &tasks[last].next) = id;
    last = id;
}

static void take_out(s32 id)
{
    struct task *t = &tasks[id];

    *(t->before == NONE ? &first : &tasks[t->before].next) = t->next;
    *(t->next == NONE ? &last : &tasks[t->next].before) = t->before;
}

static s32 pick(u32 cpu)
{
    s32 id = first;

    while (id != NONE && !(tasks[id].affinity >> cpu & 1))
        id = tasks[id].next;
    if (id != NONE)
        take_out(id);
    return id;
}

static void enqueue_if_waiting(s32 id)
{
    struct task *t = &tasks[id];

    if (t->where == ELSEWHERE && t->waiting) {
        t->where = QUEUED;
        enqueue(id);
    }
}

/* ---- messages -------------------------------------------------------------------------------------------------------- */

static void handle(u32 type, s32 id, u32 flags, u32 cpu, u64 affinity)
{
    struct task *t = &tasks[id];

    if (cpu < cpu_count && (type == MSG_CPU_AVAILABLE || type == MSG_CPU_BUSY))
        cpus[cpu].available = type == MSG_CPU_AVAILABLE;
    if (type >= MSG_TICK)
        return;
    if (t->where == STAGED && t->staged_sequence != t->sequence)
        t->where = ELSEWHERE;
    t->affinity = affinity;
    t->waiting = flags & FLAG_RUNNABLE;
    if ((flags & FLAG_ONCPU) && cpu < cpu_count)
        cpus[cpu].running = id;
    else if (cpu < cpu_count && cpus[cpu].running == id)
        cpus[cpu].running = NONE;
    if (t->where == QUEUED && !t->waiting) {
        t->where = ELSEWHERE;
        take_out(id);
    } else if (t->where == QUEUED && type == MSG_AFFINITY) {
        take_out(id);
        enqueue(id);
    } else {
        enqueue_if_waiting(id);
    }
}

static u64 slot_at(u64 number) { return bank + PLACE + (number & (entries - 1)) * LINE; }
static int has_message(void) { return get(slot_at(position)) == position + 1; }

static void consumed(void)
{
    position++;
    if (position - credit > entries >> 3)
        put(bank, credit = position);
}

static int is_news(u64 identity, u32 type)
{
    u32 id = identity & 0xfffff, sequence = identity >> 20 & 0xfffffff;

    if (identity >> 48 != (epoch & 0xffff))
        return 0;
    if (type >= MSG_TICK)
        return 1;
    if (id >= task_count || (tasks[id].known && (s32)((sequence - tasks[id].sequence) << 4) <= 0))
        return 0;
    tasks[id].known = 1;
    tasks[id].sequence = sequence;
    return 1;
}

static int messages(void)
{
    int count = 0;

    for (; count < BATCH && has_message(); consumed()) {
        u64 at = slot_at(position), identity = get(at + 8), small = get(at + 16), affinity = get(at + 32);

        if (!is_news(identity, small >> 56))
            continue;
        if (!observed)
            observed = now();
        handle(small >> 56, small >> 56 >= MSG_TICK ? 0 : identity & 0xfffff, small >> 48 & 0xff, small >> 32 & 0xffff, affinity);
        count++;
    }
    if (count == 0 && credit != position)
        put(bank, credit = position);
    return count;
}

/* dev.bascule.agent.Lines.digest */
static u64 digest(const u64 *w, u64 position)
{
    const u64 m[] = { 0x9e3779b97f4a7c15ull, 0xbf58476d1ce4e5b9ull, 0x94d049bb133111ebull, 0xd6e8feb86659fd93ull };
    u64 a = (w[0] ^ m[0]) * m[1], b = (w[1] ^ m[1]) * m[2], c = (w[2] ^ m[2]) * m[3], d = (w[3] ^ m[3]) * m[0];

    a = (a ^ a >> 29 ^ w[4]) * m[2];
    b = (b ^ b >> 31 ^ w[5]) * m[3];
    c = (c ^ c >> 30 ^ w[6]) * m[0];
    d = (d ^ d >> 28 ^ position) * m[1];
    a ^= (b << 17 | b >> 47) ^ (c << 31 | c >> 33) ^ (d << 47 | d >> 17);
    return a ^ a >> 32;
}

/* ---- status words ---------------------------------------------------------------------------------------------------- */

static void read_status(u32 id)
{
    u64 line = status_at + (u64)id * LINE, w[8], head, affinity, small;

    do {
        for (u32 i = 0; i < 8; i++)
            w[i] = get(line + i * 8);
    } while (w[0] && w[7] != digest(w, line));
    head = w[0];
    affinity = w[4];
    small = w[5];
    if (id >= task_count) {
        cpus[id - task_count].available = head >> 32 >> 3 & 1;
        return;
    }
    tasks[id].known = 1;
    tasks[id].sequence = head & 0xfffffff;
    if (head >> 32 & IN_USE)
        handle(MSG_NEW, id, (head >> 32 & 6) == 2 ? FLAG_RUNNABLE : (head >> 32 & 4) ? FLAG_ONCPU : 0, small >> 16 & 0xffff,
            affinity);
}

/* Everything anew, as the host asks for. */
static void rebuild(void)
{
    for (u32 i = 0; i < entries && has_message(); i++)
        consumed();
    for (u32 id = 0; id < task_count; id++) {
        tasks[id].known = tasks[id].waiting = 0;
        if (tasks[id].where == QUEUED)
            tasks[id].where = ELSEWHERE;
    }
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        cpus[cpu].running = NONE;
    first = last = NONE;
    for (u32 id = 0; id < task_count + cpu_count; id++)
        read_status(id);
}

/* ---- decisions ------------------------------------------------------------------------------------------------------- */

static u64 head_of(u64 number, u64 outcome, u64 state) { return number << 32 | (epoch & 0xffff) << 16 | outcome << 8 | state; }

static int outcomes(void)
{
    int count = 0;

    for (u32 index = 0; index < cpu_count; index++) {
        struct cpu *c = &cpus[index];
        u64 head;
        u32 outcome;
        struct task *t = &tasks[c->decision & 0xfffff];

        if (c->staged == c->settled)
            continue;
        head = get(c->part + outcomes_at);
        if ((head & ~0xff00ull) != head_of(c->staged, 0, SETTLED))
            continue;
        c->settled++;
        count++;
        outcome = head >> 8 & 0xff;
        if (t->where != STAGED || t->staged_sequence != (c->decision >> 20 & 0xfffffff))
            continue;
        t->where = ELSEWHERE;
        if (t->sequence == t->staged_sequence) {
            if (outcome == COMPLETE)
                c->running = c->decision & 0xfffff;
            if (outcome == COMPLETE || (outcome >= TARGET_ONCPU && outcome <= TARGET_NOT_RUNNABLE))
                t->waiting = 0;
        }
        enqueue_if_waiting(c->decision & 0xfffff);
    }
    return count;
}

static void stage(u32 index, s32 id)
{
    struct cpu *c = &cpus[index];
    struct task *t = &tasks[id];
    u64 line = c->part + slots_at;

    if (!observed)
        observed = now();
    t->where = STAGED;
    t->staged_sequence = t->sequence;
    c->decision = (u64)(epoch & 0xffff) << 48 | (u64)t->sequence << 20 | id;
    put(line + 8, c->decision);
    put(line + 16, (u64)index << 48 | AT_SCHEDULE << 24 | ABI << 16);
    put(line + 24, 0);
    put(line + 32, 0);
    put(line + 40, observed);
    put(line + 48, 0);
    put(line, head_of(++c->staged, 0, READY));
}

/* Idle CPUs come first: a decision staged behind a running task waits for it. */
static u64 fill(int busy_ones)
{
    u64 staged = 0;

    for (u32 index = 0; index < cpu_count && first != NONE; index++) {
        struct cpu *c = &cpus[index];
        s32 id;

        if (c->staged != c->settled || !c->available || (c->running != NONE) != busy_ones)
            continue;
        id = pick(index);
        if (id != NONE) {
            stage(index, id);
            staged |= 1ull << index;
        }
    }
    return staged;
}

static void commit(u64 staged)
{
    u64 sleeping = 0;

    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (; staged; staged &= staged - 1) {
        u32 index = __builtin_ctzll(staged);

        if (get(cpus[index].part + PLACE) == ASLEEP)
            sleeping |= 1ull << index;
    }
    if (sleeping) {
        struct bsc_call call = { .value = sleeping };
        union bpf_attr attr = {};

        attr.test.prog_fd = ring;
        attr.test.ctx_in = (u64)&call;
        attr.test.ctx_size_in = sizeof(call);
        syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attr, sizeof(attr.test));
        calls++;
    }
}

/* ---- the loop -------------------------------------------------------------------------------------------------------- */

static int turn(void)
{
    u64 staged;
    int work;

    observed = 0;
    if (generation != (u32)get(HOST_CONTROL)) {
        generation = get(HOST_CONTROL);
        rebuild();
    }
    work = messages() + outcomes();
    staged = fill(0);
    staged |= fill(1);
    if (staged)
        commit(staged);
    put(bank + PLACE + entries * (u64)LINE, (u64)epoch << 48 | (++beats & 0xffffffffffffull));
    return work + (staged != 0);
}

/* How long, ns. */
static u64 wait_for_bell(u64 seen)
{
    struct pollfd one = { .fd = bell, .events = POLLIN };
    u64 start = now();

    page_put(offsetof(struct bsc_page, agent_sleeps), 1);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (page_get(offsetof(struct bsc_page, posted)) == seen) {
        poll(&one, 1, NAP_MILLIS);
        __atomic_store_n(bell_read, __atomic_load_n(bell_written, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
    }
    page_put(offsetof(struct bsc_page, agent_sleeps), 0);
    return now() - start;
}

/* dev.bascule.host.scx.KernelIdle: a short sleep was not worth its two switches */
static int spins_after(int spins, u64 slept)
{
    if (slept < SHORT_NANOS)
        return 2 * spins + 1 < SPINS ? 2 * spins + 1 : SPINS;
    return spins / 2 > LEAST_SPINS ? spins / 2 : LEAST_SPINS;
}

static void work(void)
{
    u64 control = bank + PLACE + entries * (u64)LINE, seen = 0;
    int empty = 0, spins = SPINS;

    put(control + 8, getpid());
    put(control + 16, (u64)epoch << 16 | 1);
    generation = (u32)get(HOST_CONTROL) - 1;
    turn();
    put(control + 16, (u64)epoch << 16 | 2);
    while (get(HOST_CONTROL) >> 32 == (u64)epoch << 16) {
        if (turn())
            empty = 0;
        else if (++empty > spins)
            spins = spins_after(spins, wait_for_bell(seen));
        seen = page_get(offsetof(struct bsc_page, posted));
    }
}

/* ---- attaching ------------------------------------------------------------------------------------------------------- */

static int take(int host, long descriptor)
{
    int mine = syscall(SYS_pidfd_getfd, host, descriptor, 0);

    if (mine < 0)
        die("take a descriptor of the host");
    return mine;
}

static void find(const char *directory)
{
    char name[4096];
    unsigned long numbers[6];
    int host;
    FILE *file;

    snprintf(name, sizeof(name), "%s/kernel", directory);
    file = fopen(name, "r");
    if (!file)
        die(name);
    for (int i = 0; i < 6; i++)
        if (fscanf(file, "%lu", &numbers[i]) != 1)
            die(name);
    fclose(file);
    host = syscall(SYS_pidfd_open, numbers[0], 0);
    if (host < 0)
        die("find the host");
    region = mmap((void *)numbers[1], numbers[2] + 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE,
        take(host, numbers[3]), 0);
    if (region == MAP_FAILED)
        die("map the shared memory");
    page = region + numbers[2];
    bell = take(host, numbers[4]);
    ring = take(host, numbers[5]);
    bell_read = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, bell, 0);
    bell_written = mmap(NULL, 4096, PROT_READ, MAP_SHARED, bell, 4096);
    if (bell_read == MAP_FAILED || bell_written == MAP_FAILED)
        die("map the bell");
}

static void lay_out(void)
{
    u64 channel_bytes, cpus_at, words, cpu_bytes, banks, bank_bytes;

    if (get(HEADER + 8) >> 32 != MAGIC_KIND_LOCAL || get(HEADER + 24) >> 32 != 1 || get(HEADER + 32) >> 32 != 1) {
        fprintf(stderr, "this agent needs the on-host transport, one agent and one staged decision a CPU\n");
        exit(2);
    }
    cpu_count = get(HEADER + 16) >> 32;
    task_count = get(HEADER + 16);
    entries = get(HEADER + 24);
    status_at = up(HOST_CONTROL + LINE, 4096);
    channel_bytes = PLACE + (u64)entries * LINE;
    cpus_at = up(channel_bytes + 2 * LINE, PLACE);
    words = up(8, PLACE);
    claims_at = 2 * PLACE;
    outcomes_at = claims_at + words;
    slots_at = outcomes_at + words;
    cpu_bytes = up(slots_at + LINE, PLACE);
    banks = up(status_at + (u64)(task_count + cpu_count) * LINE, 4096);
    bank_bytes = up(cpus_at + cpu_count * cpu_bytes, 4096);
    epoch = get(HOST_CONTROL) >> 48;
    bank = banks + (epoch & 1) * bank_bytes;
    position = credit = (u64)epoch << 32;
    tasks = calloc(task_count, sizeof(*tasks));
    for (u32 i = 0; i < cpu_count && i < MOST_CPUS; i++)
        cpus[i] = (struct cpu) { .part = bank + cpus_at + i * cpu_bytes, .running = NONE };
}

int main(int count, char **words)
{
    if (count != 2) {
        fprintf(stderr, "usage: agent RUN-DIRECTORY\n");
        return 2;
    }
    find(words[1]);
    page_put(offsetof(struct bsc_page, agent_pid), getpid());
    lay_out();
    work();
    fprintf(stderr, "%llu rounds, %llu calls\n", (unsigned long long)beats, (unsigned long long)calls);
    return 0;
}
