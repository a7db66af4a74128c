/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Bascule's side in the kernel: a sched_ext scheduler that decides nothing while an agent does. Every event of a ruled task
 * becomes a message; a task that can run is parked until a decision names it; what the kernel's side decides alone, when
 * no agent does or one is late, is counted and told.
 *
 * See native/scx/layout.h for what is shared with the host's process, and src/site/markdown/kernel.md.
 */
#include "watch.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* ---- tasks come and go ----------------------------------------------------------------------------------------------- */

/* Processes that were asked for: the time of their start in ticks of 10 ms, as a number may be another's later. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 1); /* the host sets it */
    __type(key, u32);
    __type(value, u64);
} processes SEC(".maps");

/* The host's process, by the kernel's own number. */
static s32 host_tgid;

INLINE bool may_rule(struct task_struct *p)
{
    return p->tgid != host_tgid && p->tgid != (s32)load(AGENTS(pid)) && !(p->flags & PF_KTHREAD);
}

/* Whether this task was asked for itself. */
INLINE bool is_asked_for(struct task_struct *p)
{
    u32 tgid = p->tgid;
    u64 *started = bpf_map_lookup_elem(&processes, &tgid);

    if (config.whole || (started && *started == BPF_CORE_READ(p, group_leader, start_boottime) / 10000000))
        return true;
    for (u32 i = 0; i < BSC_GROUPS && i < config.group_count; i++)
        if (is_in_group(p, config.groups[i]))
            return true;
    return false;
}

/* Whether what the calling task starts was asked for: it was itself, or it is where the host starts programs. */
INLINE bool is_parent_admitted(void)
{
    struct task_struct *parent = bpf_get_current_task_btf();
    struct task_id *its = id_of(parent);

    return (its && its->is_admitted) || (parent->tgid == host_tgid && parent->policy == SCHED_EXT);
}

/*
 * Who is there when this scheduler comes, was not asked for and cannot be later is refused by the kernel itself; of a cgroup, anybody
 * may become one. The kernel lets nobody be refused during a fork: who starts later and comes in is a guest.
 */
SEC("struct_ops/bascule_init_task")
s32 BPF_PROG(bascule_init_task, struct task_struct *p, struct scx_init_task_args *args)
{
    struct task_id none = {}, *mine;

    if (args->fork && is_parent_admitted()) {
        mine = bpf_task_storage_get(&ids, p, &none, BPF_LOCAL_STORAGE_GET_F_CREATE);
        if (mine)
            mine->is_admitted = 1;
        return 0;
    }
    if (args->fork || p->tgid == host_tgid || config.group_count || is_asked_for(p))
        return 0;
    if (p->policy == SCHED_EXT)
        count(&page.turned_away);
    p->scx.disallow = true;
    return 0;
}

/* A free number for a task that from now on is ruled. */
INLINE bool admit(struct task_struct *p, struct task_id *mine, u64 affinity)
{
    struct task_entry *t;
    u32 id, index;

    if (!take_number(&id))
        return false;
    t = entry(id);
    if (!t)
        return false;
    mine->id = id;
    mine->is_ruled = 1;
    index = index_of(scx_bpf_task_cpu(p));
    t->pid = p->pid;
    t->nice = p->static_prio - 120;
    t->cpu = index < config.cpus ? index : 0;
    t->affinity = affinity;
    t->runtime = 0;
    t->started = 0;
    t->slice = SCX_SLICE_DFL;
    t->run_flags = 0;
    t->yielded = 0;
    t->task_class = 0;
    classify(p, t, true);
    tell(id, t, MSG_NEW, BLOCKED);
    count(&page.ruled);
    return true;
}

INLINE void dismiss(struct task_id *mine, u32 type)
{
    struct task_entry *t = entry(mine->id);
    u32 id = mine->id;

    mine->is_ruled = 0;
    if (!t)
        return;
    tell(id, t, type, FREE);
    bpf_map_push_elem(&free_ids, &id, 0);
    add(&page.ruled, -1);
}

/* Rules a task if it was asked for and a number is free: now, or when it comes again. */
INLINE bool try_admit(struct task_struct *p, struct task_id *mine)
{
    u64 affinity = affinity_of(p);

    return mine && mine->is_admitted && !mine->is_ruled && affinity && may_rule(p) && admit(p, mine, affinity);
}

SEC("struct_ops/bascule_enable")
void BPF_PROG(bascule_enable, struct task_struct *p)
{
    struct task_id none = {}, *mine = bpf_task_storage_get(&ids, p, &none, BPF_LOCAL_STORAGE_GET_F_CREATE);

    if (!mine)
        return;
    if (!mine->is_admitted && is_asked_for(p))
        mine->is_admitted = 1;
    if (!try_admit(p, mine) && !mine->is_ruled) {
        if (!mine->is_admitted && may_rule(p))
            count(&page.turned_away);
        else if (mine->is_admitted && may_rule(p) && affinity_of(p))
            count(&page.no_number);
    }
}

SEC("struct_ops/bascule_disable")
void BPF_PROG(bascule_disable, struct task_struct *p)
{
    struct task_id *mine = id_of(p);

    if (mine && mine->is_ruled)
        dismiss(mine, p->flags & PF_EXITING ? MSG_DEAD : MSG_DEPARTED);
}

SEC("struct_ops/bascule_set_cpumask")
void BPF_PROG(bascule_set_cpumask, struct task_struct *p, const struct cpumask *cpumask)
{
    u64 affinity = affinity_of(p);
    struct task_id *mine = id_of(p);
    struct task_entry *t;

    if (!mine)
        return;
    if (!mine->is_ruled) {
        try_admit(p, mine);
        return;
    }
    t = entry(mine->id);
    if (!t || t->affinity == affinity)
        return;
    if (!affinity) { /* none of the enclave's CPUs: nothing that an agent could decide */
        dismiss(mine, MSG_DEPARTED);
        return;
    }
    t->affinity = affinity;
    tell_change(mine->id, t, MSG_AFFINITY);
}

SEC("struct_ops/bascule_set_weight")
void BPF_PROG(bascule_set_weight, struct task_struct *p, u32 weight)
{
    s32 nice = p->static_prio - 120;
    u32 id;
    struct task_entry *t = entry_of(p, &id);

    if (t && t->nice != nice) {
        t->nice = nice;
        classify(p, t, true);
        tell_change(id, t, MSG_PRIORITY);
    }
}

/* ---- tasks run and wait ---------------------------------------------------------------------------------------------- */

SEC("struct_ops/bascule_select_cpu")
s32 BPF_PROG(bascule_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
    struct task_id *mine = id_of(p);
    struct cpu_entry *c = cpu_entry(index_of(prev_cpu));
    bool is_idle = false;
    s32 cpu;

    if (mine && mine->is_ruled) { /* the kernel's own choice would start it at once on an idle CPU */
        u32 open = c && c->unavailable ? open_cpu(mine->id) : BSC_CPUS;

        return open < BSC_CPUS ? machine_cpu(open) : prev_cpu; /* not to wait among those that can use no other: is_lent */
    }
    cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);
    return cpu < 0 ? prev_cpu : cpu;
}

/*
 * A task that nobody decides about. The agent and the kernel's threads go first, as if they were of the fair class; the others take
 * turns with ruled tasks where there are any.
 */
INLINE void enqueue_guest(struct task_struct *p, u64 enq_flags)
{
    u32 index = index_of(scx_bpf_task_cpu(p));
    struct cpu_entry *c = cpu_entry(index);

    count(&page.unruled);
    if (!may_rule(p) || index >= config.cpus || !c || c->offline) {
        if (config.whole && !may_rule(p))
            enq_flags |= KERNEL_VALUE(scx_enq_flags, SCX_ENQ_PREEMPT);
        scx_bpf_dsq_insert(p, SCX_DSQ_LOCAL, SCX_SLICE_DFL, enq_flags);
        return;
    }
    scx_bpf_dsq_insert(p, GUESTS + index, GUEST_SLICE, enq_flags);
    if (c->current < 0 && !c->guest_since)
        kick(scx_bpf_task_cpu(p), 0);
}

SEC("struct_ops/bascule_enqueue")
void BPF_PROG(bascule_enqueue, struct task_struct *p, u64 enq_flags)
{
    u32 id, state;
    s32 idle;
    struct task_entry *t = entry_of(p, &id);

    if (!t && try_admit(p, id_of(p)))
        t = entry_of(p, &id);
    if (!t) {
        enqueue_guest(p, enq_flags);
        return;
    }
    state = state_of(word_of(t));
    if ((enq_flags & KERNEL_VALUE(scx_enq_flags, SCX_ENQ_LAST)) && !t->yielded && !scx_bpf_dsq_nr_queued(PARKED)) {
        scx_bpf_dsq_insert(p, SCX_DSQ_LOCAL, t->slice, enq_flags); /* its slice is over, and nobody else waits */
        kick(scx_bpf_task_cpu(p), 0); /* else the kernel idles beside it until something else happens */
        return;
    }
    if (state != RUNNABLE) { /* else it was parked, and taken out only to be changed */
        t->since = bpf_ktime_get_ns();
        classify(p, t, false);
        if (state == ONCPU && !t->yielded)
            count(&page.preemptions);
        tell(id, t, state == BLOCKED ? MSG_WAKEUP : t->yielded ? MSG_YIELD : MSG_PREEMPT, RUNNABLE);
        t->yielded = 0;
    }
    scx_bpf_dsq_insert(p, PARKED, SCX_SLICE_DFL, enq_flags);
    if (is_alone()) {
        idle = scx_bpf_pick_idle_cpu(p->cpus_ptr, 0);
        if (idle >= 0)
            kick(idle, 0);
    }
}

SEC("struct_ops/bascule_running")
void BPF_PROG(bascule_running, struct task_struct *p)
{
    u32 id, state, index = index_of(scx_bpf_task_cpu(p));
    struct task_entry *t = entry_of(p, &id);
    struct cpu_entry *c = cpu_entry(index);
    u64 word;

    if (!t) {
        if (c) {
            c->guest_since = bpf_ktime_get_ns();
            c->waiting_since = 0;
        }
        return;
    }
    t->started = bpf_ktime_get_ns();
    word = word_of(t);
    state = state_of(word);
    if (index < config.cpus && c) {
        t->cpu = index;
        c->current = id;
        c->waiting_since = 0;
        c->looked = 0;
        set_sleeping(index, AT_WORK);
        if (c->tell_not_idle) {
            c->tell_not_idle = 0;
            tell_cpu(index, c, MSG_NOT_IDLE);
        }
    }
    if (state == ONCPU) { /* it was changed while it ran, or a higher class had the CPU for a while */
        publish(id, t);
        return;
    }
    count(&page.switches);
    if (state == LATCHED && !t->local && !(t->run_flags & RUN_SEND_ON_CPU)
        && __sync_val_compare_and_swap(&t->word, word, (word & ~(u64)STATE_MASK) | ONCPU) == word)
        publish(id, t);
    else /* also if it was taken back on its way here */
        tell(id, t, MSG_ON_CPU, ONCPU);
}

/* What ruled tasks and guests have had of the CPU; what is long ago counts no more. */
INLINE void pay(struct cpu_entry *c, s64 ran)
{
    s64 credit = c->credit + ran, most = GUEST_CREDIT;

    c->credit = credit > most ? most : credit < -most ? -most : credit;
}

SEC("struct_ops/bascule_stopping")
void BPF_PROG(bascule_stopping, struct task_struct *p, bool runnable)
{
    u32 id, index = index_of(scx_bpf_task_cpu(p));
    struct task_entry *t = entry_of(p, &id);
    struct cpu_entry *c = cpu_entry(index);

    u64 now = bpf_ktime_get_ns();

    if (c)
        c->current = -1;
    if (t) {
        u64 ran = now - t->started;

        t->runtime += ran;
        add(&page.busy_nanos, ran);
        if (c)
            pay(c, ran);
    } else if (c && c->guest_since) {
        pay(c, -(s64)(now - c->guest_since));
        c->guest_since = 0;
    }
}

SEC("struct_ops/bascule_quiescent")
void BPF_PROG(bascule_quiescent, struct task_struct *p, u64 deq_flags)
{
    u32 id;
    struct task_entry *t = entry_of(p, &id);

    if (t && (deq_flags & KERNEL_VALUE(scx_deq_flags, SCX_DEQ_SLEEP))) {
        t->yielded = 0;
        tell(id, t, MSG_BLOCKED, BLOCKED);
    }
}

SEC("struct_ops/bascule_yield")
bool BPF_PROG(bascule_yield, struct task_struct *from, struct task_struct *to)
{
    u32 id;
    struct task_entry *t = entry_of(from, &id);

    if (t)
        t->yielded = 1;
    if (scx_bpf_task_set_slice)
        scx_bpf_task_set_slice(from, 0);
    else
        from->scx.slice = 0; /* kernels before 6.19 */
    return false;
}

SEC("struct_ops/bascule_tick")
void BPF_PROG(bascule_tick, struct task_struct *p)
{
    u32 index = index_of(scx_bpf_task_cpu(p));
    struct cpu_entry *c = cpu_entry(index);

    if (config.ticks && c && index < config.cpus)
        tell_cpu(index, c, MSG_TICK);
}

/* ---- CPUs ------------------------------------------------------------------------------------------------------------ */

/* Starts what is promised to the CPU. A task that may not migrate at the moment cannot be: the agent decides about it anew. */
INLINE bool start_promised(u32 index)
{
    if (scx_bpf_dsq_move_to_local(LATCHES + index))
        return true;
    if (scx_bpf_dsq_nr_queued(LATCHES + index) > 0)
        take_back(index, ANYWHERE);
    return false;
}

/* Starts a ruled task, if one is decided for the CPU, or none but this side can decide for it; whether it did. */
INLINE bool start_ruled(s32 cpu, u32 index, struct cpu_entry *c, bool lent)
{
    u32 result;
    bool alone;
    u64 now;

    if (!c->gate && start_promised(index))
        return true;
    result = decide(index, true);
    if (result == NOTHING || result == IDLE_WANTED || result == GROUP_WAITS) {
        u32 next;

        set_sleeping(index, ASLEEP); /* a full fence: the agent writes its decision before it reads this */
        next = decide(index, true);
        result = next == NOTHING ? result : next;
    } else if (!c->looked && (result == PROMISED || result == PREEMPTS)) {
        count(&page.prestage_hits);
    }
    c->looked = 1;
    if (result == PROMISED || result == PREEMPTS) {
        if (start_promised(index))
            return true;
        set_sleeping(index, ASLEEP);
        kick(cpu, 0);
        if (!lent)
            return false;
    }
    if (result == HELD)
        kick(cpu, 0); /* and look again */
    if (c->gate) /* behind the gate nothing starts yet, whoever is late */
        return false;
    if (lent)
        return start_lent(cpu, index);
    if (result == HELD || result == IDLE_WANTED)
        return false;
    if (!scx_bpf_dsq_nr_queued(PARKED)) {
        c->waiting_since = 0;
        return false;
    }
    now = bpf_ktime_get_ns();
    if (!c->waiting_since)
        c->waiting_since = now;
    alone = is_alone();
    if ((alone || now - c->waiting_since > config.soft_nanos)
        && decide_locally(index, alone ? 0 : config.soft_nanos)) {
        if (!alone)
            count(&page.late);
        return scx_bpf_dsq_move_to_local(LATCHES + index);
    }
    return false;
}

/* Guests go first once ruled tasks have had more of the CPU, and have it while no ruled task can start. */
SEC("struct_ops/bascule_dispatch")
void BPF_PROG(bascule_dispatch, s32 cpu, struct task_struct *prev)
{
    u32 index = index_of(cpu);
    struct cpu_entry *c = cpu_entry(index);
    bool lent;

    if (index >= config.cpus || !c)
        return;
    lent = is_lent(cpu);
    if (!lent)
        c->looked_at = bpf_ktime_get_ns();
    if (c->unavailable && !c->offline && !lent)
        set_available(index, c, true); /* here it is again */
    if (c->credit > 0 && !c->gate && scx_bpf_dsq_move_to_local(GUESTS + index))
        return;
    if (!start_ruled(cpu, index, c, lent) && !c->gate)
        scx_bpf_dsq_move_to_local(GUESTS + index);
}

/* A CPU that a real-time task takes may be gone for long: what ran there or was about to is the agent's again. */
SEC("struct_ops/bascule_cpu_release")
void BPF_PROG(bascule_cpu_release, s32 cpu, struct scx_cpu_release_args *args)
{
    bool is_real_time = args->reason == KERNEL_VALUE(scx_cpu_preempt_reason, SCX_CPU_PREEMPT_RT)
        || args->reason == KERNEL_VALUE(scx_cpu_preempt_reason, SCX_CPU_PREEMPT_DL);

    if (is_real_time && scx_bpf_reenqueue_local)
        scx_bpf_reenqueue_local();
}

SEC("struct_ops/bascule_cpu_online")
void BPF_PROG(bascule_cpu_online, s32 cpu)
{
    u32 index = index_of(cpu);
    struct cpu_entry *c = cpu_entry(index);

    if (index < config.cpus && c) {
        c->offline = 0;
        set_available(index, c, true);
    }
}

SEC("struct_ops/bascule_cpu_offline")
void BPF_PROG(bascule_cpu_offline, s32 cpu)
{
    u32 index = index_of(cpu);
    struct cpu_entry *c = cpu_entry(index);

    if (index < config.cpus && c) {
        c->offline = 1;
        set_available(index, c, false);
        take_back(index, ANYWHERE);
        release_guests(index);
    }
}

/* ---- the scheduler comes and goes --------------------------------------------------------------------------------------- */

SEC("struct_ops.s/bascule_init")
s32 BPF_PROG(bascule_init)
{
    u32 zero = 0;
    struct timer_slot *slot = bpf_map_lookup_elem(&timers, &zero);
    s32 error = scx_bpf_create_dsq(PARKED, -1);

    for (u32 index = 0; index < BSC_CPUS && index < config.cpus && !error; index++) {
        struct cpu_entry *c = cpu_entry(index);

        if (c)
            c->current = -1;
        error = scx_bpf_create_dsq(LATCHES + index, -1);
        if (!error)
            error = scx_bpf_create_dsq(GUESTS + index, -1);
    }
    if (error || !slot)
        return error;
    bpf_timer_init(&slot->timer, &timers, CLOCK_MONOTONIC);
    bpf_timer_set_callback(&slot->timer, watch);
    bpf_timer_start(&slot->timer, config.timer_nanos, 0);
    return 0;
}

/* The host reads these words from memory that the kernel keeps for it: longer than this scheduler lives. */
SEC("struct_ops/bascule_exit")
void BPF_PROG(bascule_exit, struct scx_exit_info *info)
{
    bpf_probe_read_kernel_str(page.exit_reason, sizeof(page.exit_reason), info->reason);
    bpf_probe_read_kernel_str(page.exit_message, sizeof(page.exit_message), info->msg);
    write_page(&page.exit_code, info->exit_code);
    __sync_lock_test_and_set(&page.exit_kind, info->kind);
}

/* ---- calls ----------------------------------------------------------------------------------------------------------- */

/* The host opens an epoch: what the agents of the one before decided or will decide is void. */
SEC("syscall")
int open_epoch(struct bsc_call *call)
{
    u64 next = call->value;

    host_tgid = bpf_get_current_pid_tgid() >> 32; /* in a namespace the host has another number for itself */
    *(volatile u64 *)&position[next & 1] = next << 32;
    __sync_lock_test_and_set(&epoch, next);
    for (u32 index = 0; index < BSC_CPUS && index < config.cpus; index++) {
        struct cpu_entry *c = cpu_entry(index);

        set_sleeping(index, ASLEEP); /* whatever it does: until it starts a task, a call is never wrong */
        if (c)
            publish_cpu(index, c); /* agents may attach before this is the kernel's scheduler */
    }
    call->answer = 0;
    return 0;
}

/* The agent's doorbell: decisions are there for CPUs that are idle, or are to be taken from their tasks, or of a group. */
SEC("syscall")
int ring(struct bsc_call *call)
{
    u64 mask = call->value;

    count(&page.calls);
    for (u32 index = 0; index < BSC_CPUS && index < config.cpus; index++) {
        struct cpu_entry *c = cpu_entry(index);

        if ((mask >> index & 1) && c)
            ring_one(index, c);
    }
    call->answer = 0;
    return 0;
}

SEC(".struct_ops.link")
struct sched_ext_ops bascule = {
    .flags = SCX_OPS_SWITCH_PARTIAL | SCX_OPS_ENQ_LAST | SCX_OPS_KEEP_BUILTIN_IDLE,
    .timeout_ms = BSC_TIMEOUT_MILLIS,
    .name = "bascule",
    .select_cpu = (void *)bascule_select_cpu,
    .enqueue = (void *)bascule_enqueue,
    .dispatch = (void *)bascule_dispatch,
    .tick = (void *)bascule_tick,
    .running = (void *)bascule_running,
    .stopping = (void *)bascule_stopping,
    .quiescent = (void *)bascule_quiescent,
    .yield = (void *)bascule_yield,
    .set_weight = (void *)bascule_set_weight,
    .set_cpumask = (void *)bascule_set_cpumask,
    .cpu_release = (void *)bascule_cpu_release,
    .cpu_online = (void *)bascule_cpu_online,
    .cpu_offline = (void *)bascule_cpu_offline,
    .init_task = (void *)bascule_init_task,
    .enable = (void *)bascule_enable,
    .disable = (void *)bascule_disable,
    .init = (void *)bascule_init,
    .exit = (void *)bascule_exit,
};
