/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Decisions: dev.bascule.agent.Transaction in the slots of dev.bascule.local, checked as dev.bascule.agent.Enforcer does,
 * enforced by moving the task from where tasks are parked to where its CPU looks first.
 */
#pragma once
#include "tasks.h"

enum { READY = 1, CLAIMED = 2, SETTLED = 3, SLOT_STATES = 0xff };
enum { AT_SCHEDULE = 1, AT_COMMIT = 2, ALLOW_ONCPU = 4 };
enum { RUN_NEED_NOT_IDLE = 1 << 7, RUN_SEND_ON_CPU = 1 << 10, RUN_DO_NOT_PREEMPT = 1 << 12 };
enum { TARGET_NULL = (1 << 20) - 16, TARGET_IDLE, TARGET_AGENT };

/* Its task is not parked yet, for whoever makes it runnable, or promises its group, is not done: ask again. */
#define NOT_YET 16

struct decision {
    u64 w[6];
};
#define LONGEST_SLICE 3600000000000ULL

enum { LOOKS = 4, MOVES = 32 };

INLINE u32 cpu_in(const u64 *w) { return w[1] >> 48; }
INLINE u32 run_flags_in(const u64 *w) { return (w[1] >> 32) & 0xffff; }
INLINE u32 commit_flags_in(const u64 *w) { return (w[1] >> 24) & 0xff; }
INLINE u32 group_size_in(const u64 *w) { return w[1] & 0xffff; }
INLINE u32 task_in(const u64 *w) { return w[0] & 0xfffff; }
INLINE u64 sequence_in(const u64 *w) { return (w[0] >> 20) & 0xfffffff; }

INLINE u64 place(u64 number) { return number & (config.places - 1); }
INLINE u64 cpu_at(u64 of_epoch, u32 index) { return bank(of_epoch) + config.cpus_at + index * config.cpu_bytes; }
INLINE u64 head_of(u64 number, u64 of_epoch, u64 outcome, u64 state)
{
    return (number & 0xffffffff) << 32 | (of_epoch & 0xffff) << 16 | outcome << 8 | state;
}

/* dev.bascule.local.LocalLayout: what a CPU wants the agent to call it for */
enum { ASLEEP = 1, AT_WORK = 2 };

INLINE void set_sleeping(u32 index, u64 sleeping)
{
    store_release(cpu_at(epoch, index) + config.sleeping_at, sleeping);
}

INLINE bool are_flags_valid(const u64 *w)
{
    u32 when = commit_flags_in(w) & (AT_SCHEDULE | AT_COMMIT), target = task_in(w), meant;

    meant = target == TARGET_NULL || target == TARGET_IDLE ? RUN_NEED_NOT_IDLE
        : target == TARGET_AGENT                           ? 0
                                                           : RUN_SEND_ON_CPU | RUN_DO_NOT_PREEMPT;
    return (when == AT_SCHEDULE || when == AT_COMMIT)
        && !(commit_flags_in(w) & ~(AT_SCHEDULE | AT_COMMIT | ALLOW_ONCPU)) && !(run_flags_in(w) & ~meant);
}

/* All that does not depend on the task; COMPLETE if there is nothing to object. */
INLINE u32 check_frame(const u64 *w, u32 index, struct cpu_entry *c)
{
    if (((w[1] >> 16) & 0xff) != config.version)
        return UNSUPPORTED_VERSION;
    if (w[0] >> 48 != (epoch & 0xffff))
        return NO_AGENT;
    if (cpu_in(w) != index)
        return INVALID_CPU;
    if (c->offline)
        return CPU_OFFLINE;
    if (c->unavailable)
        return CPU_UNAVAIL;
    return are_flags_valid(w) ? COMPLETE : INVALID_FLAGS;
}

/* One group at a time is promised to its CPUs. */
static u64 group_busy;

/*
 * Whether what is promised may be taken back yet as if it had never been, for its group fails: nobody is told of it before.
 * The addition of nothing is a fence.
 */
INLINE bool may_be_undone(struct task_entry *t, u64 word)
{
    return __sync_fetch_and_add(&group_busy, 0) || word_of(t) != word;
}

/* The staleness rule. */
INLINE u32 check_task(const u64 *w, u32 index, struct task_entry *t)
{
    u64 word = word_of(t);

    if (state_of(word) == FREE)
        return TARGET_NOT_FOUND;
    if (sequence_of(word) != sequence_in(w))
        return TARGET_STALE;
    if (state_of(word) == LATCHED && may_be_undone(t, word))
        return NOT_YET;
    if (state_of(word) == LATCHED || state_of(word) == ONCPU)
        return (commit_flags_in(w) & ALLOW_ONCPU) && t->cpu == index ? COMPLETE : TARGET_ONCPU;
    if (state_of(word) == BLOCKED)
        return TARGET_NOT_RUNNABLE;
    return t->affinity >> index & 1 ? COMPLETE : NOT_PERMITTED;
}

/*
 * Moves a parked task that this caller has latched. It fails as long as whoever makes the task runnable has not put it there
 * yet, and for good when the task has been taken out: then its word is another one.
 */
INLINE bool move(struct task_struct *p, struct task_entry *t, u64 latched, u64 to, u64 slice, u64 flags)
{
    bool moved = false;

    for (int i = 0; i < MOVES && !moved && word_of(t) == latched; i++) {
        struct bpf_iter_scx_dsq it;

        bpf_rcu_read_lock();
        if (!bpf_iter_scx_dsq_new(&it, PARKED, 0)) {
            scx_bpf_dsq_move_set_slice(&it, slice);
            moved = scx_bpf_dsq_move(&it, p, to, flags);
        }
        bpf_iter_scx_dsq_destroy(&it);
        bpf_rcu_read_unlock();
    }
    return moved;
}

/*
 * What was promised to a CPU that does not come: its tasks are parked again, and the agent learns that they wait. ANYWHERE, or only
 * those that wait on this CPU of the machine until then.
 */
enum { ANYWHERE = -1 };
__noinline u32 take_back(u32 index, s32 from)
{
    struct bpf_iter_scx_dsq it;
    struct task_struct *p;
    u32 count = 0;

    bpf_rcu_read_lock();
    if (!bpf_iter_scx_dsq_new(&it, LATCHES + index, 0)) {
        while ((p = bpf_iter_scx_dsq_next(&it))) {
            u32 id;
            struct task_entry *t = entry_of(p, &id);
            u64 word = t ? word_of(t) : FREE;

            if (t && state_of(word) == LATCHED && (from == ANYWHERE || scx_bpf_task_cpu(p) == from)
                && tell_if(id, t, MSG_PREEMPT, word, next_word(word, RUNNABLE)))
                count += scx_bpf_dsq_move(&it, p, PARKED, 0);
        }
    }
    bpf_iter_scx_dsq_destroy(&it);
    bpf_rcu_read_unlock();
    return count;
}

INLINE u64 slice_in(const u64 *w)
{
    return w[3] == 0 || w[3] > LONGEST_SLICE || (run_flags_in(w) & RUN_DO_NOT_PREEMPT) ? SCX_SLICE_INF : w[3];
}

/* The parked task of this number, found by its number. */
__noinline u32 move_numbered(u32 id, u32 index, u64 slice, u64 flags)
{
    struct bpf_iter_scx_dsq it;
    struct task_struct *p;
    u32 moved = 0, other;

    bpf_rcu_read_lock();
    if (!bpf_iter_scx_dsq_new(&it, PARKED, 0)) {
        while (!moved && (p = bpf_iter_scx_dsq_next(&it))) {
            if (!entry_of(p, &other) || other != id)
                continue;
            scx_bpf_dsq_move_set_slice(&it, slice);
            moved = scx_bpf_dsq_move(&it, p, LATCHES + index, flags);
        }
    }
    bpf_iter_scx_dsq_destroy(&it);
    bpf_rcu_read_unlock();
    return moved;
}

/* The task with its reference, unless its process id no longer names it: one that ends loses that before its last steps. */
INLINE struct task_struct *named(u32 id, struct task_entry *t)
{
    struct task_struct *p = bpf_task_from_pid(t->pid);
    struct task_id *mine;

    if (!p)
        return NULL;
    mine = id_of(p);
    if (mine && mine->is_ruled && mine->id == id)
        return p;
    bpf_task_release(p);
    return NULL;
}

/* Promises the task to the CPU, if the decision holds. */
__noinline u32 latch(struct decision *d, u32 index)
{
    const u64 *w = d ? d->w : NULL;
    u32 id = w ? task_in(w) : config.tasks, outcome;
    struct task_entry *t;
    struct task_struct *p;
    u64 word, latched, flags;
    bool moved;

    if (!w || id >= config.tasks)
        return INVALID_TARGET;
    t = entry(id);
    if (!t)
        return INVALID_TARGET;
    outcome = check_task(w, index, t);
    word = word_of(t);
    if (outcome != COMPLETE || state_of(word) != RUNNABLE)
        return outcome;
    latched = (word & ~(u64)STATE_MASK) | LATCHED;
    if (sequence_of(word) != sequence_in(w) || __sync_val_compare_and_swap(&t->word, word, latched) != word)
        return TARGET_STALE;
    t->cpu = index;
    t->slice = slice_in(w);
    t->run_flags = run_flags_in(w);
    t->local = 0;
    flags = commit_flags_in(w) & AT_COMMIT ? KERNEL_VALUE(scx_enq_flags, SCX_ENQ_HEAD) : 0;
    p = named(id, t);
    if (p) {
        moved = move(p, t, latched, LATCHES + index, t->slice, flags);
        bpf_task_release(p);
    } else {
        moved = move_numbered(id, index, t->slice, flags);
    }
    if (moved)
        return COMPLETE;
    if (__sync_val_compare_and_swap(&t->word, latched, word) != latched)
        return TARGET_STALE;
    count(&page.retries);
    return NOT_YET;
}

INLINE u32 enforce(struct decision *d, u32 index, struct cpu_entry *c)
{
    const u64 *w = d->w;
    u32 outcome = check_frame(w, index, c), target = task_in(w);

    if (outcome != COMPLETE)
        return outcome;
    if (target == TARGET_NULL || target == TARGET_IDLE)
        c->tell_not_idle = (run_flags_in(w) & RUN_NEED_NOT_IDLE) != 0;
    return target >= TARGET_NULL && target <= TARGET_AGENT ? COMPLETE : latch(d, index);
}

INLINE u32 floor_log2(u64 value)
{
    u32 bits = 0;

    for (u32 step = 32; step > 0; step >>= 1)
        if (value >> step) {
            value >>= step;
            bits += step;
        }
    return bits;
}

INLINE void settle(u64 of_epoch, u32 index, u64 number, const u64 *w, u32 outcome)
{
    u64 window = bpf_ktime_get_ns() - w[4];

    store_release(cpu_at(of_epoch, index) + config.outcomes_at + place(number) * 8,
        head_of(number, of_epoch, outcome, SETTLED));
    count(&page.outcomes[outcome & 15]);
    if (outcome == COMPLETE)
        count(&page.window[floor_log2((s64)window > 0 ? window : 0) & 63]);
}

/* Takes what the slot has if the agent does not withdraw it; w gets its words. */
INLINE bool take(u32 index, struct cpu_entry *c, u64 *w)
{
    u64 part = cpu_at(c->epoch, index), line, head, claim, before;

    for (int look = 0; look < LOOKS; look++) {
        line = part + config.slots_at + place(c->number) * 64;
        head = load(line);
        if ((u8)head == READY && (head >> 16 & 0xffff) == (c->epoch & 0xffff)
            && (s32)(head >> 32) - (s32)c->number >= (s32)config.places) {
            c->number = (u32)((head >> 32) - config.staged + 1); /* withdrawn, and its place used again */
            continue;
        }
        if ((head & ~0xff00ULL) != head_of(c->number, c->epoch, 0, READY))
            return false;
        claim = part + config.claims_at + place(c->number) * 8;
        before = load(claim);
        if (before && (before >> 16 & 0xffff) == (c->epoch & 0xffff) && (s32)(before >> 32) - (s32)c->number >= 0) {
            c->number++; /* withdrawn */
            continue;
        }
        if (__sync_val_compare_and_swap(word_at(claim), before, head_of(c->number, c->epoch, 0, CLAIMED)) != before) {
            c->number++;
            continue;
        }
        for (int i = 0; i < 6; i++)
            w[i] = load(line + 8 + i * 8);
        return true;
    }
    return false;
}

/* What became of a look at a CPU's slot. */
enum { NOTHING, HELD, GROUP_WAITS, IDLE_WANTED, PROMISED, PREEMPTS };

INLINE bool is_group(const u64 *w) { return group_size_in(w) > 1; }

INLINE void hold(struct cpu_entry *c, u64 number, const u64 *w)
{
    for (int i = 0; i < 6; i++)
        c->held[i] = w[i];
    c->held_number = number;
    c->held_since = bpf_ktime_get_ns();
}

INLINE u32 result_of(const u64 *w)
{
    if (commit_flags_in(w) & AT_COMMIT)
        return PREEMPTS;
    return task_in(w) < config.tasks ? PROMISED : IDLE_WANTED;
}

/* A task that keeps its CPU until it blocks or yields. */
INLINE bool keeps_cpu(struct cpu_entry *c)
{
    struct task_entry *t = c->current < 0 ? NULL : entry(c->current);

    return t && (t->run_flags & RUN_DO_NOT_PREEMPT);
}

/* A decision that waits for its CPU is left where it is, unless the CPU is free, or the decision is not to wait or of a group. */
INLINE bool may_take_now(u32 index, struct cpu_entry *c, bool is_free)
{
    u64 line, word;

    if (is_free || c->held_number)
        return true;
    line = cpu_at(c->epoch, index) + config.slots_at + place(c->number) * 64;
    word = load(line + 16);
    return (word & 0xffff) > 1 || ((word >> 24 & AT_COMMIT) && !keeps_cpu(c));
}

/* Takes decisions of one CPU, which the caller has made busy, until one promises a task to it. */
__noinline u32 take_next(u32 index, bool is_free)
{
    struct cpu_entry *c = cpu_entry(index);
    struct decision d = {};
    u64 *w = d.w, number;

    if (!c)
        return NOTHING;
    if (c->epoch != epoch) {
        c->epoch = epoch;
        c->number = 1;
        c->held_number = 0;
    }
    for (int look = 0; look < LOOKS; look++) {
        u32 outcome;

        if (c->held_number && is_group(c->held))
            return GROUP_WAITS;
        if (!may_take_now(index, c, is_free))
            return NOTHING;
        if (c->held_number) {
            number = c->held_number;
            for (int i = 0; i < 6; i++)
                w[i] = c->held[i];
        } else {
            if (!take(index, c, w))
                return NOTHING;
            number = c->number++;
            if (is_group(w)) {
                hold(c, number, w);
                return GROUP_WAITS;
            }
        }
        outcome = enforce(&d, index, c);
        if (outcome == NOT_YET) {
            hold(c, number, w);
            return HELD;
        }
        c->held_number = 0;
        settle(c->epoch, index, number, w, outcome);
        c->latched_at = bpf_ktime_get_ns();
        if (outcome == COMPLETE && task_in(w) != TARGET_AGENT)
            return result_of(w);
    }
    return NOTHING;
}

/* The same, by one at a time. Who is turned away leaves a word for who is at it. */
__noinline u32 decide(u32 index, bool is_free)
{
    struct cpu_entry *c = cpu_entry(index);
    u32 result = NOTHING;

    if (!c)
        return NOTHING;
    for (int turn = 0; turn < LOOKS; turn++) {
        *(volatile u8 *)&c->again = 1;
        if (__sync_val_compare_and_swap(&c->busy, 0, 1))
            return result;
        *(volatile u8 *)&c->again = 0;
        result = take_next(index, is_free);
        __sync_lock_test_and_set(&c->busy, 0);
        if (result != NOTHING || !*(volatile u8 *)&c->again)
            return result;
    }
    return result;
}
