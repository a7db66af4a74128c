/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Groups of decisions, one a CPU, of which all are in force or none: their members are held until the group is whole; then each
 * task is promised to its CPU behind a gate, which opens when all are.
 */
#pragma once
#include "decide.h"

/* How long a group may stay incomplete before its members are poisoned. */
#define GROUP_NANOS 5000000ULL

INLINE bool is_member(struct cpu_entry *c, u32 group, u32 size)
{
    return c->held_number && group_size_in(c->held) == size && (u32)c->held[2] == group;
}

/*
 * Takes back what a group that fails had promised: nobody has been told of it (see may_be_undone), so nobody is now. What was
 * promised to the CPU before is in force, and stays.
 */
__noinline u32 undo(u32 index)
{
    struct cpu_entry *c = cpu_entry(index);
    struct bpf_iter_scx_dsq it;
    struct task_struct *p;

    if (!c || !c->pledged)
        return 0;
    c->pledged = 0;
    bpf_rcu_read_lock();
    if (!bpf_iter_scx_dsq_new(&it, LATCHES + index, 0)) {
        while ((p = bpf_iter_scx_dsq_next(&it))) {
            u32 id;
            struct task_entry *t = entry_of(p, &id);
            u64 word = t ? word_of(t) : FREE;

            if (t && state_of(word) == LATCHED
                && __sync_val_compare_and_swap(&t->word, word, (word & ~(u64)STATE_MASK) | RUNNABLE) == word)
                scx_bpf_dsq_move(&it, p, PARKED, KERNEL_VALUE(scx_enq_flags, SCX_ENQ_HEAD));
        }
    }
    bpf_iter_scx_dsq_destroy(&it);
    bpf_rcu_read_unlock();
    return 0;
}

/* Promises one member; what is promised to its CPU already would come first, so then it fails. */
__noinline u32 promise_member(u32 index)
{
    struct cpu_entry *c = cpu_entry(index);
    struct decision d = {};

    if (!c)
        return INVALID_CPU;
    if (c->held[0] >> 48 != (c->epoch & 0xffff) || scx_bpf_dsq_nr_queued(LATCHES + index) > 0)
        return NO_AGENT;
    for (int i = 0; i < 6; i++)
        d.w[i] = c->held[i];
    return enforce(&d, index, c);
}

__noinline u32 finish_member(u32 index, u32 outcome)
{
    struct cpu_entry *c = cpu_entry(index);
    u64 w[6];
    u32 result;

    if (!c)
        return 0;
    for (int i = 0; i < 6; i++)
        w[i] = c->held[i];
    settle(c->epoch, index, c->held_number, w, outcome);
    c->held_number = 0;
    c->latched_at = bpf_ktime_get_ns();
    c->pledged = 0;
    *(volatile u8 *)&c->gate = 0;
    result = result_of(w);
    if (outcome != COMPLETE) /* the CPU, if it idles, is to look what comes after the group */
        kick(machine_cpu(index), 0);
    else if (result != IDLE_WANTED)
        kick(machine_cpu(index),
            result == PREEMPTS && !keeps_cpu(c) ? KERNEL_VALUE(scx_kick_flags, SCX_KICK_PREEMPT) : 0);
    return 0;
}

/*
 * Sees to it that a CPU follows what a look at its slot has found. One that is to leave its task for another that is not parked
 * yet leaves it now, and looks again: a task that keeps its CPU for long would keep the decision waiting for as long.
 */
INLINE void follow(u32 index, u32 result)
{
    struct cpu_entry *c = cpu_entry(index);

    if (result == PREEMPTS || (result == HELD && c && (commit_flags_in(c->held) & AT_COMMIT)))
        kick(machine_cpu(index), KERNEL_VALUE(scx_kick_flags, SCX_KICK_PREEMPT));
    else if (result == PROMISED || result == HELD)
        kick(machine_cpu(index), 0);
}

/* How many members are there. What is found on the way and is of no group is in force like any other decision. */
INLINE u32 gather(u32 group, u32 size)
{
    u32 present = 0;

    for (u32 index = 0; index < BSC_CPUS && index < config.cpus; index++) {
        struct cpu_entry *c = cpu_entry(index);

        if (!c)
            continue;
        if (!c->held_number)
            follow(index, decide(index, false));
        present += is_member(c, group, size);
    }
    return present;
}

/* The first outcome that is not COMPLETE, and whose; the gates of all members are shut. */
INLINE u32 promise_all(u32 group, u32 size, u32 *failed)
{
    for (u32 index = 0; index < BSC_CPUS && index < config.cpus; index++) {
        struct cpu_entry *c = cpu_entry(index);
        u32 outcome;

        if (!c || !is_member(c, group, size))
            continue;
        *(volatile u8 *)&c->gate = 1;
        outcome = promise_member(index);
        if (outcome != COMPLETE) {
            *failed = index;
            return outcome;
        }
        c->pledged = 1; /* there was nothing else: see promise_member */
    }
    return COMPLETE;
}

INLINE void settle_all(u32 group, u32 size, u32 outcome, u32 failed)
{
    for (u32 index = 0; index < BSC_CPUS && index < config.cpus; index++) {
        struct cpu_entry *c = cpu_entry(index);

        if (c && is_member(c, group, size)) {
            if (outcome != COMPLETE)
                undo(index);
            finish_member(index, outcome == COMPLETE ? COMPLETE : index == failed ? outcome : POISONED);
        }
    }
}

INLINE void open_gates(u32 group, u32 size)
{
    for (u32 index = 0; index < BSC_CPUS && index < config.cpus; index++) {
        struct cpu_entry *c = cpu_entry(index);

        if (c && is_member(c, group, size)) {
            undo(index);
            *(volatile u8 *)&c->gate = 0;
        }
    }
}

/* Brings the group that a CPU waits for to an end, if it is whole or has been waited for long enough. */
__noinline u32 settle_group(u32 index)
{
    struct cpu_entry *c = cpu_entry(index);
    u32 group, size, outcome = POISONED, failed = BSC_NO_CPU;
    bool is_overdue;

    if (!c || !c->held_number || !is_group(c->held) || __sync_val_compare_and_swap(&group_busy, 0, 1))
        return 0;
    group = c->held[2];
    size = group_size_in(c->held);
    is_overdue = (s64)(bpf_ktime_get_ns() - c->held_since) > (s64)GROUP_NANOS;
    if (gather(group, size) >= size)
        outcome = promise_all(group, size, &failed);
    else if (!is_overdue)
        outcome = NOT_YET;
    if (outcome == NOT_YET && !is_overdue)
        open_gates(group, size);
    else
        settle_all(group, size, outcome == NOT_YET ? POISONED : outcome, failed); /* its task is as the agent saw it */
    __sync_lock_test_and_set(&group_busy, 0);
    return 1;
}

/* Looks for a decision of a CPU, and sees to it that the CPU follows. */
INLINE void ring_one(u32 index, struct cpu_entry *c)
{
    u32 result = decide(index, c->current < 0);

    if (result == GROUP_WAITS)
        settle_group(index);
    else
        follow(index, result);
}
