/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What this side does without the agent: decides while there is none, for a CPU whose agent is late, and about a task that
 * starves; and takes back what was promised to a CPU that does not come.
 */
#pragma once
#include "group.h"

/* A CPU that is asked to look, and has not for so long, is not to be had. */
#define UNSEEN_NANOS 100000000ULL

/* The host is silent. */
static bool is_silent;

/* Whether this side decides: there is no agent, or its host is silent. */
INLINE bool is_alone(void) { return is_silent || !read_page(&page.ready); }

struct timer_slot {
    struct bpf_timer timer;
};

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, u32);
    __type(value, struct timer_slot);
} timers SEC(".maps");

INLINE void set_available(u32 index, struct cpu_entry *c, bool is_available)
{
    c->unavailable = !is_available;
    tell_cpu(index, c, is_available ? MSG_CPU_AVAILABLE : MSG_CPU_BUSY);
}

/* The oldest parked task that may use the CPU and has waited for this long. */
__noinline u32 decide_locally(u32 index, u64 least)
{
    u64 now = bpf_ktime_get_ns();
    struct bpf_iter_scx_dsq it;
    struct task_struct *p;
    bool moved = false;

    if (!bpf_iter_scx_dsq_new(&it, PARKED, 0)) {
        while (!moved && (p = bpf_iter_scx_dsq_next(&it))) {
            u32 id;
            struct task_entry *t = entry_of(p, &id);
            u64 word;

            if (!t || !(t->affinity >> index & 1) || (s64)(now - t->since) < (s64)least)
                continue;
            word = word_of(t);
            if (state_of(word) != RUNNABLE
                || __sync_val_compare_and_swap(&t->word, word, (word & ~(u64)STATE_MASK) | LATCHED) != word)
                continue;
            t->cpu = index;
            t->slice = SCX_SLICE_DFL;
            t->run_flags = 0;
            t->local = 1;
            scx_bpf_dsq_move_set_slice(&it, SCX_SLICE_DFL);
            moved = scx_bpf_dsq_move(&it, p, LATCHES + index, 0);
            if (!moved)
                __sync_val_compare_and_swap(&t->word, (word & ~(u64)STATE_MASK) | LATCHED, word);
        }
    }
    bpf_iter_scx_dsq_destroy(&it);
    if (moved)
        count(&page.local_decisions);
    return moved;
}

/* A task that has waited for longer than the limit runs now, whatever the agent decides. */
INLINE void help_starved(u64 now)
{
    struct bpf_iter_scx_dsq it;
    struct task_struct *p;
    bool moved = false;
    u32 index = 0;

    if (!bpf_iter_scx_dsq_new(&it, PARKED, 0)) {
        p = bpf_iter_scx_dsq_next(&it);
        if (p) {
            u32 id;
            struct task_entry *t = entry_of(p, &id);
            u64 word = t ? word_of(t) : 0;

            if (t && now - t->since > config.starve_nanos && (s64)(now - t->since) > 0 && state_of(word) == RUNNABLE
                && __sync_val_compare_and_swap(&t->word, word, (word & ~(u64)STATE_MASK) | LATCHED) == word) {
                index = t->affinity >> t->cpu & 1 ? t->cpu : 0;
                for (u32 i = 0; i < BSC_CPUS && !(t->affinity >> index & 1); i++)
                    index = i;
                t->cpu = index;
                t->slice = SCX_SLICE_DFL;
                t->run_flags = 0;
                t->local = 1;
                scx_bpf_dsq_move_set_slice(&it, SCX_SLICE_DFL);
                moved = scx_bpf_dsq_move(&it, p, LATCHES + index, KERNEL_VALUE(scx_enq_flags, SCX_ENQ_HEAD));
                if (!moved)
                    __sync_val_compare_and_swap(&t->word, (word & ~(u64)STATE_MASK) | LATCHED, word);
            }
        }
    }
    bpf_iter_scx_dsq_destroy(&it);
    if (moved) {
        count(&page.starved);
        count(&page.local_decisions);
        kick(machine_cpu(index), KERNEL_VALUE(scx_kick_flags, SCX_KICK_PREEMPT));
    }
}

/* A CPU that is gone: what was promised to it and what is decided for it goes elsewhere. */
INLINE void refuse(u32 index, struct cpu_entry *c)
{
    if (!c->gate && scx_bpf_dsq_nr_queued(LATCHES + index) > 0)
        take_back(index);
    ring_one(index, c);
}

/* The kernel waits until a CPU that goes has no task left: its guests are its own again, which it sends elsewhere. */
INLINE void release_guests(u32 index)
{
    struct bpf_iter_scx_dsq it;
    struct task_struct *p;

    bpf_rcu_read_lock();
    if (!bpf_iter_scx_dsq_new(&it, GUESTS + index, 0))
        while ((p = bpf_iter_scx_dsq_next(&it)))
            scx_bpf_dsq_move(&it, p, SCX_DSQ_LOCAL_ON | machine_cpu(index), 0);
    bpf_iter_scx_dsq_destroy(&it);
    bpf_rcu_read_unlock();
}

/* A guest has its turn also on a CPU whose ruled task would keep it for ever: the kernel throws a scheduler out that forgets one. */
INLINE void make_room(u32 index, struct cpu_entry *c, u64 now)
{
    struct task_entry *t = c->current < 0 ? NULL : entry(c->current);

    if (t && scx_bpf_dsq_nr_queued(GUESTS + index) > 0 && (s64)(now - t->started) > GUEST_CREDIT)
        kick(machine_cpu(index), KERNEL_VALUE(scx_kick_flags, SCX_KICK_PREEMPT));
}

/* What is promised to a CPU and has not begun for so long goes elsewhere: something of a higher class of the kernel's has it. */
INLINE u64 patience(void) { return config.soft_nanos < UNSEEN_NANOS ? config.soft_nanos : UNSEEN_NANOS; }

/* Has a CPU that waits look; if it does not, what is decided for it goes elsewhere, also what it has not taken yet. */
INLINE void remind(u32 index, struct cpu_entry *c, u64 now, bool alone)
{
    u64 from = c->looked_at > c->waiting_since ? c->looked_at : c->waiting_since;
    s64 unseen = now - from;

    if (alone || now - c->waiting_since > config.soft_nanos || unseen > (s64)UNSEEN_NANOS / 2)
        kick(machine_cpu(index), 0);
    if (unseen > (s64)UNSEEN_NANOS && !c->unavailable)
        set_available(index, c, false);
}

static int watch(void *map, u32 *key, struct timer_slot *slot)
{
    u64 now = bpf_ktime_get_ns(), beat = read_page(&page.host_beat);
    s32 parked = scx_bpf_dsq_nr_queued(PARKED);
    bool alone;

    is_silent = (s64)(now - beat) > (s64)config.host_nanos;
    alone = is_alone();
    write_page(&page.alone, alone);
    write_page(&page.parked, parked);
    for (u32 index = 0; index < BSC_CPUS && index < config.cpus; index++) {
        struct cpu_entry *c = cpu_entry(index);

        if (!c)
            continue;
        if (c->held_number && is_group(c->held))
            settle_group(index);
        if (c->offline || c->unavailable)
            refuse(index, c);
        make_room(index, c, now);
        if (c->guest_since)
            c->waiting_since = 0;
        if (c->current >= 0 || c->guest_since || c->offline || c->gate)
            continue;
        if (scx_bpf_dsq_nr_queued(LATCHES + index) > 0 && (s64)(now - c->latched_at) > (s64)patience()) {
            if (!c->unavailable) /* something else has it: what was promised to it goes elsewhere */
                set_available(index, c, false);
            take_back(index);
        }
        if (parked <= 0)
            c->waiting_since = 0;
        else if (!c->waiting_since)
            c->waiting_since = now;
        else
            remind(index, c, now, alone);
    }
    if (parked > 0)
        help_starved(now);
    bpf_timer_start(&slot->timer, config.timer_nanos, 0);
    return 0;
}
