/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The shared region: a BPF arena that host and agents map. Its formats are those of dev.bascule.local. */
#pragma once
#include "kernel.h"
#include "layout.h"

#define INLINE static __always_inline

const volatile struct bsc_config config;

struct {
    __uint(type, BPF_MAP_TYPE_ARENA);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, 1); /* pages; the host sets it, and the address */
} arena SEC(".maps");

/* Wakes an agent that waits for a message. */
struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 4096);
} bell SEC(".maps");

/* The epoch that decisions are taken in, and the number of the next message in each bank. */
static u64 epoch;
static u64 position[2];

/*
 * Memory of the arena. The instruction in bytes is the cast of a user's address to the kernel's, which clang has no word for
 * before version 19: mov64 r1, r1 with offset 1 and immediate 1.
 */
INLINE u64 *word_at(u64 offset)
{
    u64 address = config.arena + offset;

    asm volatile("r1 = %[a]; .8byte 0x00000001000111bf; %[a] = r1" : [a] "+r"(address) : "r"(&arena) : "r1");
    return (u64 *)address;
}

INLINE u64 load(u64 offset) { return *(volatile u64 *)word_at(offset); }
INLINE void store(u64 offset, u64 value) { *(volatile u64 *)word_at(offset) = value; }

/* An exchange orders everything before it and after it, on every machine. */
INLINE void store_release(u64 offset, u64 value) { __sync_lock_test_and_set(word_at(offset), value); }

#define AGENTS(member) (config.agents_at + __builtin_offsetof(struct bsc_agents, member))

/* What agents can only read; a part of the program's memory of its own, which the host maps for writing. */
struct bsc_page page SEC(".data.page");

INLINE u64 read_page(u64 *word) { return *(volatile u64 *)word; }
INLINE void write_page(u64 *word, u64 value) { *(volatile u64 *)word = value; }
INLINE void add(u64 *word, u64 value) { __sync_fetch_and_add(word, value); }
INLINE void count(u64 *word) { add(word, 1); }

INLINE u64 bank(u64 of_epoch) { return of_epoch & 1 ? config.bank_at[1] : config.bank_at[0]; }

/* ---- status words: dev.bascule.agent.StatusTable -------------------------------------------------------------------- */

enum { INUSE = 1, RUNNABLE_FLAG = 2, ONCPU_FLAG = 4, CPU_AVAIL = 8 };

INLINE u64 rotated(u64 value, u32 by) { return value << by | value >> (64 - by); }

/* Lines.digest: of seven words at an offset. */
INLINE u64 digest(u64 w0, u64 w1, u64 w2, u64 w3, u64 w4, u64 w5, u64 w6, u64 at)
{
    const u64 m0 = 0x9e3779b97f4a7c15ull, m1 = 0xbf58476d1ce4e5b9ull, m2 = 0x94d049bb133111ebull,
              m3 = 0xd6e8feb86659fd93ull;
    u64 a = (w0 ^ m0) * m1, b = (w1 ^ m1) * m2, c = (w2 ^ m2) * m3, d = (w3 ^ m3) * m0;

    a = (a ^ a >> 29 ^ w4) * m2;
    b = (b ^ b >> 31 ^ w5) * m3;
    c = (c ^ c >> 30 ^ w6) * m0;
    d = (d ^ d >> 28 ^ at) * m1;
    a ^= rotated(b, 17) ^ rotated(c, 31) ^ rotated(d, 47);
    return a ^ a >> 32;
}

INLINE void write_status(u32 id, u64 first, u64 switched, u64 runtime, u64 affinity, u64 small)
{
    u64 line = config.status_at + (u64)id * 64;

    store(line + 8, id);
    store(line + 16, switched);
    store(line + 24, runtime);
    store(line + 32, affinity);
    store(line + 40, small);
    store(line + 48, 0);
    store(line + 56, digest(first, id, switched, runtime, affinity, small, 0, line));
    store_release(line, first);
}

/* ---- messages: dev.bascule.agent.Message in dev.bascule.ring.SlotRing ------------------------------------------------ */

enum { SLOTS_OFFSET = 256, MOST_TRIES = 16 };

/* Which CPUs post at the same time each take a number; the agent takes messages in that order. */
INLINE bool reserve(u64 ring, u64 *number, u32 which)
{
    u64 *next = &position[which & 1];

    for (int i = 0; i < MOST_TRIES; i++) {
        u64 mine = *(volatile u64 *)next;
        u64 credit = load(ring); /* not trusted: only compared */

        if (mine - credit >= config.entries)
            return false;
        if (__sync_val_compare_and_swap(next, mine, mine + 1) == mine) {
            *number = mine;
            return true;
        }
    }
    return false;
}

/* Once for a sleep: until the agent has come, which takes a while, every further message would interrupt this CPU for nothing. */
INLINE void ring_bell(void)
{
    u64 *record;

    if (!load(AGENTS(sleeps)) || !__sync_lock_test_and_set(word_at(AGENTS(sleeps)), 0))
        return;
    record = bpf_ringbuf_reserve(&bell, 8, 0);
    if (record) {
        *record = 0;
        bpf_ringbuf_discard(record, BPF_RB_FORCE_WAKEUP);
    } else {
        store_release(AGENTS(sleeps), 1); /* the next message tries again */
    }
    count(&page.rings);
}

INLINE u64 identity(u64 of_epoch, u64 sequence, u64 id)
{
    return (of_epoch & 0xffff) << 48 | (sequence & 0xfffffff) << 20 | (id & 0xfffff);
}

/* The status word is written before: an agent that starts meanwhile reads it, or is in the epoch that is read here. */
INLINE void post(u64 sequence, u32 id, u64 small, u64 runtime, u64 affinity)
{
    u64 now_epoch = *(volatile u64 *)&epoch, ring = bank(now_epoch) + config.channel_at, number, slot;

    if (!reserve(ring, &number, now_epoch)) {
        count(&page.overflows);
        return;
    }
    slot = ring + SLOTS_OFFSET + (number & (config.entries - 1)) * 64;
    store(slot + 8, identity(now_epoch, sequence, id));
    store(slot + 16, small);
    store(slot + 24, runtime);
    store(slot + 32, affinity);
    store(slot + 40, 0);
    store(slot + 48, 0);
    store(slot + 56, 0); /* it tells of no outcome: agents look */
    store_release(slot, number + 1);
    count(&page.posted); /* a full fence: the agent says that it sleeps before it reads this */
    ring_bell();
}
