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

/* One who tells at a time, so that the last message is of the last change; who is turned away leaves a word for who is at it. */
INLINE void set_available(u32 index, struct cpu_entry *c, bool is_available)
{
    volatile u8 *untold = &c->untold, *unavailable = &c->unavailable;

    *unavailable = !is_available;
    c->waiting_since = 0; /* no agent is late for a CPU that was another's */
    for (int i = 0; i < 4; i++) {
        *untold = 1;
        if (__sync_val_compare_and_swap(&c->telling, 0, 1))
            return;
        *untold = 0;
        tell_cpu(index, c, *unavailable ? MSG_CPU_BUSY : MSG_CPU_AVAILABLE);
        __sync_lock_test_and_set(&c->telling, 0);
        if (!*untold)
            return;
    }
}

/* Every CPU's run queue, if the kernel's type information has it. */
extern const struct rq runqueues __ksym __weak;

/*
 * Whether threads of higher classes wait for the CPU that the kernel offers: it lends a twentieth of it to this class, until
 * nothing is started there. From then on it lends nothing more while any task of this class waits on the CPU, as long as threads of
 * higher classes keep it: a task in the middle of the kernel would hold up the whole machine.
 */
INLINE bool is_lent(s32 cpu)
{
    const struct rq *queue;

    if (!&runqueues || !bpf_core_field_exists(((struct rq *)0)->ext_server))
        return false;
    queue = bpf_per_cpu_ptr(&runqueues, cpu);
    return queue && queue->nr_running > queue->scx.nr_running;
}

/* Promises the parked task at which the iterator is to the CPU, as this side's decision; false if it is another's by now. */
INLINE bool promise_locally(struct bpf_iter_scx_dsq *it, struct task_struct *p, struct task_entry *t, u32 index, u64 flags)
{
    u64 word = word_of(t), latched = (word & ~(u64)STATE_MASK) | LATCHED;

    if (state_of(word) != RUNNABLE || __sync_val_compare_and_swap(&t->word, word, latched) != word)
        return false;
    t->cpu = index;
    t->slice = SCX_SLICE_DFL;
    t->run_flags = 0;
    t->local = 1;
    scx_bpf_dsq_move_set_slice(it, SCX_SLICE_DFL);
    if (scx_bpf_dsq_move(it, p, LATCHES + index, flags)) {
        count(&page.local_decisions);
        return true;
    }
    __sync_val_compare_and_swap(&t->word, latched, word);
    return false;
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

            if (t && (t->affinity >> index & 1) && (s64)(now - t->since) >= (s64)least)
                moved = promise_locally(&it, p, t, index, 0);
        }
    }
    bpf_iter_scx_dsq_destroy(&it);
    return moved;
}

/*
 * Starts on a CPU that is lent what has waited longest for it, be it promised to another CPU that has not come for it yet; no agent
 * could decide about the CPU before it is gone again.
 */
INLINE bool start_lent(s32 cpu, u32 index)
{
    bool found = decide_locally(index, 0);

    for (u32 other = 0; other < BSC_CPUS && other < config.cpus && !found; other++)
        if (scx_bpf_dsq_nr_queued(LATCHES + other) > 0 && take_back(other, cpu))
            found = decide_locally(index, 0);
    if (found)
        count(&page.lent);
    return found && scx_bpf_dsq_move_to_local(LATCHES + index);
}

/* A CPU that the task may use and that is to be had, if it can be the one it was on last; BSC_CPUS if there is none. */
__noinline u32 open_cpu(u32 id)
{
    struct task_entry *t = entry(id);
    u32 found = BSC_CPUS;

    if (!t)
        return BSC_CPUS;
    for (u32 index = 0; index < BSC_CPUS && index < config.cpus; index++) {
        struct cpu_entry *c = cpu_entry(index);

        if (c && !c->offline && !c->unavailable && (t->affinity >> index & 1) && (found == BSC_CPUS || index == t->cpu))
            found = index;
    }
    return found;
}

/* A task that has waited for longer than the limit runs now, whatever the agent decides, if there is a CPU for it. */
INLINE void help_starved(u64 now)
{
    struct bpf_iter_scx_dsq it;
    struct task_struct *p;
    bool moved = false;
    u32 index = BSC_CPUS;

    if (!bpf_iter_scx_dsq_new(&it, PARKED, 0)) {
        while (!moved && (p = bpf_iter_scx_dsq_next(&it))) {
            u32 id;
            struct task_entry *t = entry_of(p, &id);

            if (!t || (s64)(now - t->since) <= (s64)config.starve_nanos)
                continue;
            index = open_cpu(id);
            if (index < BSC_CPUS)
                moved = promise_locally(&it, p, t, index, KERNEL_VALUE(scx_enq_flags, SCX_ENQ_HEAD));
        }
    }
    bpf_iter_scx_dsq_destroy(&it);
    if (moved) {
        count(&page.starved);
        kick(machine_cpu(index), KERNEL_VALUE(scx_kick_flags, SCX_KICK_PREEMPT));
    }
}

/* A CPU that is gone: what was promised to it and what is decided for it goes elsewhere. */
INLINE void refuse(u32 index, struct cpu_entry *c)
{
    if (!c->gate && scx_bpf_dsq_nr_queued(LATCHES + index) > 0)
        take_back(index, ANYWHERE);
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
            take_back(index, ANYWHERE);
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
