/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is known of tasks and CPUs, and how the agent learns of it. A task's number is the index of its status word; its
 * sequence number goes on rising when the number is used again.
 *
 * Who may change what: a task's operations run with its run queue locked, one at a time. The word with state and sequence
 * number is also changed by whoever commits a decision, by compare-and-swap from RUNNABLE to LATCHED and back.
 */
#pragma once
#include "region.h"

/* Only decisions take tasks out of here. */
#define PARKED 0x100000ULL
/* Tasks promised to the enclave's CPU n: LATCHES + n. */
#define LATCHES 0x200000ULL
/* Tasks that nobody decides about, on the enclave's CPU n: GUESTS + n. */
#define GUESTS 0x300000ULL
#define GUEST_SLICE 5000000ULL
#define GUEST_CREDIT 20000000LL

enum task_state { FREE, BLOCKED, RUNNABLE, LATCHED, ONCPU, STATE_BITS = 4, STATE_MASK = 15 };

struct task_entry {
    u64 word;       /* sequence number << STATE_BITS | state */
    u64 since;      /* runnable since */
    u64 started;
    u64 runtime;
    u64 affinity;   /* the enclave's CPUs it may use */
    u64 slice;
    s32 pid;
    s32 nice;
    u32 cpu;        /* the enclave's CPU it is on, is promised to, or was on last */
    u32 task_class;
    u32 run_flags;
    u8 yielded;
    u8 local;       /* this side decided */
    u8 reserved[2];
    u64 name[2];    /* what its class was said of */
    u64 groups;
    u64 publishing; /* somebody writes its status word */
    u64 dirty;      /* and it has changed since */
};

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1); /* the host sets it */
    __type(key, u32);
    __type(value, struct task_entry);
} tasks SEC(".maps");

/* Numbers given back. The last one comes first, so that the numbers in use, and their pages, are as many as there were tasks. */
struct {
    __uint(type, BPF_MAP_TYPE_STACK);
    __uint(max_entries, 1); /* the host sets it */
    __uint(value_size, sizeof(u32));
} free_ids SEC(".maps");

struct task_id {
    u32 id;
    u8 is_ruled;
    u8 is_admitted; /* it was asked for, or is the child of one that was */
    u8 reserved[2];
};

struct {
    __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, int);
    __type(value, struct task_id);
} ids SEC(".maps");

struct cpu_entry {
    u64 epoch;          /* of the next decision's number */
    u64 number;
    u64 waiting_since;  /* it could run something and nothing is decided; 0: it does not wait */
    u64 sequence;       /* of the messages about this CPU */
    u64 looked_at;      /* when it last looked for something to run */
    u64 latched_at;     /* when a task was last promised to it */
    u64 busy;           /* somebody takes a decision for it */
    u64 telling;        /* somebody tells of it */
    u64 held[6];        /* a decision taken before its task was parked */
    u64 held_number;    /* 0: none */
    u64 held_since;
    s64 credit;         /* time that ruled tasks had beyond that of guests, ns, within GUEST_CREDIT */
    u64 guest_since;    /* when the guest on it started; 0: there is none */
    s32 current;        /* the ruled task on it, or -1 */
    u8 offline;
    u8 unavailable;
    u8 tell_not_idle;
    u8 again;           /* somebody was turned away by busy */
    u8 looked;          /* it has looked for a decision since it became free */
    u8 gate;            /* what is promised to it is part of a group that is not whole yet */
    u8 pledged;         /* and one is, to be taken back if the group fails */
    u8 untold;          /* and it has changed since */
};

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, BSC_CPUS);
    __type(key, u32);
    __type(value, struct cpu_entry);
} cpus SEC(".maps");

INLINE struct cpu_entry *cpu_entry(u32 index) { return bpf_map_lookup_elem(&cpus, &index); }

INLINE u32 index_of(s32 machine_cpu)
{
    u64 cell = machine_cpu;

    asm volatile("%[c] &= 1023" : [c] "+r"(cell)); /* in bounds for the verifier, whatever clang makes of a comparison */
    return machine_cpu == (s32)cell ? config.index_of[cell] : BSC_NO_CPU;
}

INLINE s32 machine_cpu(u32 index) { return index < BSC_CPUS ? config.cpu_of[index] : -1; }

/* Has a CPU look for something to run; an interrupt if it is another one. */
INLINE void kick(s32 cpu, u64 flags)
{
    count(&page.kicks);
    scx_bpf_kick_cpu(cpu, flags);
}

INLINE struct task_entry *entry(u32 id) { return bpf_map_lookup_elem(&tasks, &id); }

/* A number that no task has: one given back, or the first that no task ever had; false if there is none. */
INLINE bool take_number(u32 *id)
{
    if (!bpf_map_pop_elem(&free_ids, id))
        return true;
    if (read_page(&page.numbers) >= config.tasks)
        return false;
    *id = __sync_fetch_and_add(&page.numbers, 1);
    return *id < config.tasks;
}

INLINE struct task_id *id_of(struct task_struct *p) { return bpf_task_storage_get(&ids, p, 0, 0); }

INLINE struct task_entry *entry_of(struct task_struct *p, u32 *id)
{
    struct task_id *mine = id_of(p);

    if (!mine || !mine->is_ruled)
        return NULL;
    *id = mine->id;
    return entry(mine->id);
}

INLINE u32 state_of(u64 word) { return word & STATE_MASK; }
INLINE u64 sequence_of(u64 word) { return word >> STATE_BITS; }
INLINE u64 next_word(u64 word, u32 state) { return ((sequence_of(word) + 1) & 0xfffffff) << STATE_BITS | state; }

INLINE u64 word_of(struct task_entry *t) { return *(volatile u64 *)&t->word; }

INLINE u64 status_flags(u32 state)
{
    return state == FREE ? 0
        : INUSE | (state != BLOCKED ? RUNNABLE_FLAG : 0) | (state == LATCHED || state == ONCPU ? ONCPU_FLAG : 0);
}

/* dev.bascule.agent.Message: 1 runnable and waiting, 4 on its CPU */
INLINE u64 message_flags(u32 state) { return state == RUNNABLE ? 1 : state == LATCHED || state == ONCPU ? 4 : 0; }

INLINE void write_status_of(u32 id, struct task_entry *t)
{
    u64 word = word_of(t);

    write_status(id, sequence_of(word) | status_flags(state_of(word)) << 32, t->started, t->runtime, t->affinity,
        (t->nice & 0xffULL) | (t->task_class & 0xffULL) << 8 | (t->cpu & 0xffffULL) << 16);
}

/* One writer at a time; who is turned away leaves a word for who is at it. */
INLINE void publish(u32 id, struct task_entry *t)
{
    for (int i = 0; i < 4; i++) {
        *(volatile u64 *)&t->dirty = 1;
        if (__sync_val_compare_and_swap(&t->publishing, 0, 1))
            return;
        *(volatile u64 *)&t->dirty = 0;
        write_status_of(id, t);
        __sync_lock_test_and_set(&t->publishing, 0);
        if (!*(volatile u64 *)&t->dirty)
            return;
    }
}

INLINE void post_of(u32 id, struct task_entry *t, u32 type, u64 word)
{
    post(sequence_of(word), id,
        (u64)type << 56 | message_flags(state_of(word)) << 48 | (t->cpu & 0xffffULL) << 32 | (t->nice & 0xffULL) << 24
            | (t->task_class & 0xffULL) << 16,
        t->runtime, t->affinity);
}

/* The task's state is `to` from now on; the agent reads so in the status word, and is told. */
static __noinline void tell(u32 id, struct task_entry *t, u32 type, u32 to)
{
    u64 word = next_word(word_of(t), to);

    __sync_lock_test_and_set(&t->word, word);
    publish(id, t);
    post_of(id, t, type, word);
}

/* The same, unless the word is another one by now: beside those who commit decisions. */
static __noinline bool tell_if(u32 id, struct task_entry *t, u32 type, u64 word, u64 after)
{
    if (__sync_val_compare_and_swap(&t->word, word, after) != word)
        return false;
    publish(id, t);
    post_of(id, t, type, after);
    return true;
}

/* Something about the task has changed, but not whether it waits or runs. */
INLINE void tell_change(u32 id, struct task_entry *t, u32 type)
{
    for (int i = 0; i < 8; i++) {
        u64 word = word_of(t);

        if (tell_if(id, t, type, word, next_word(word, state_of(word))))
            return;
    }
}

INLINE void publish_cpu(u32 index, struct cpu_entry *c)
{
    write_status(config.tasks + index, (u64)(c->unavailable ? 0 : CPU_AVAIL) << 32, 0, 0, 0, (u64)index << 16);
}

INLINE void tell_cpu(u32 index, struct cpu_entry *c, u32 type)
{
    publish_cpu(index, c);
    post(++c->sequence, 0, (u64)type << 56 | (u64)index << 32, 0, 0);
}

/* The enclave's CPUs that the task may use. */
INLINE u64 affinity_of(struct task_struct *p)
{
    u64 mask = 0;

    for (u32 index = 0; index < BSC_CPUS && index < config.cpus; index++)
        if (bpf_cpumask_test_cpu(config.cpu_of[index], p->cpus_ptr))
            mask |= 1ULL << index;
    return mask;
}

/* ---- classes --------------------------------------------------------------------------------------------------------- */

INLINE bool is_in_group(struct task_struct *p, u64 id)
{
    struct cgroup *group = bpf_cgroup_from_id(id);
    bool is_in;

    if (!group)
        return false;
    is_in = bpf_task_under_cgroup(p, group);
    bpf_cgroup_release(group);
    return is_in;
}

INLINE bool fits(struct task_struct *p, struct task_entry *t, const volatile struct bsc_rule *rule)
{
    if (rule->kind == RULE_NAME)
        return (t->name[0] & rule->mask[0]) == rule->text[0] && (t->name[1] & rule->mask[1]) == rule->text[1];
    if (rule->kind == RULE_NICE)
        return t->nice >= rule->nice_from && t->nice <= rule->nice_to;
    return rule->kind == RULE_GROUP && is_in_group(p, rule->group);
}

/* Says the task's class anew if what it depends on has changed: nobody tells of a new name or group. */
INLINE void classify(struct task_struct *p, struct task_entry *t, bool is_changed)
{
    u64 name[2] = {}, groups = (u64)p->cgroups;

    if (!config.rule_count)
        return;
    bpf_core_read(name, sizeof(name), &p->comm);
    if (!is_changed && name[0] == t->name[0] && name[1] == t->name[1] && groups == t->groups)
        return;
    t->name[0] = name[0];
    t->name[1] = name[1];
    t->groups = groups;
    t->task_class = 0;
    for (u32 i = 0; i < BSC_RULES && i < config.rule_count; i++)
        if (fits(p, t, &config.rules[i])) {
            t->task_class = config.rules[i].task_class;
            return;
        }
}
