/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What this program and the host's process (dev.bascule.host.scx) agree on. Read by the layout-conformance test with the
 * C compiler of this machine, so there is nothing of the kernel in here.
 */
#pragma once

/* The numbers of dev.bascule.agent.MessageType, which are those of ghOSt's ABI. */
enum bsc_message { MSG_DEAD = 64, MSG_BLOCKED = 65, MSG_WAKEUP = 66, MSG_NEW = 67, MSG_PREEMPT = 68, MSG_YIELD = 69,
    MSG_DEPARTED = 70, MSG_AFFINITY = 72, MSG_ON_CPU = 73, MSG_PRIORITY = 74, MSG_TICK = 128, MSG_NOT_IDLE = 130,
    MSG_CPU_AVAILABLE = 131, MSG_CPU_BUSY = 132 };

/* The order of dev.bascule.agent.Outcome. */
enum bsc_outcome { COMPLETE, ABORTED, TARGET_ONCPU, TARGET_STALE, TARGET_NOT_FOUND, TARGET_NOT_RUNNABLE, AGENT_STALE,
    CPU_OFFLINE, CPU_UNAVAIL, INVALID_FLAGS, INVALID_TARGET, NOT_PERMITTED, INVALID_CPU, NO_AGENT, UNSUPPORTED_VERSION,
    POISONED };

enum { BSC_CPUS = 64, BSC_MACHINE_CPUS = 1024, BSC_NO_CPU = 0xffff, BSC_RULES = 16, BSC_GROUPS = 16 };

/* The kernel throws out a scheduler whose task has waited for so long: the longest that it allows. */
enum { BSC_TIMEOUT_MILLIS = 30000 };

/* Which tasks are of a class: the first rule that fits says it. */
enum bsc_rule_kind { RULE_NAME = 1, RULE_GROUP = 2, RULE_NICE = 3 };

struct bsc_rule {
    u64 text[2];            /* name: a thread's name under the mask */
    u64 mask[2];
    u64 group;              /* group: number of a cgroup, with those below it */
    s32 nice_from;          /* nice: from, to */
    s32 nice_to;
    u32 kind;
    u32 task_class;
};

/* Where things lie in the region, in bytes (dev.bascule.local.LocalPlaces), and how to behave. Set before loading. */
struct bsc_config {
    u64 arena;              /* address of the region in every process that maps it */
    u64 status_at;
    u64 bank_at[2];
    u64 channel_at;         /* from here on: within a bank */
    u64 cpus_at;
    u64 cpu_bytes;
    u64 sleeping_at;        /* from here on: within a CPU's part */
    u64 claims_at;
    u64 outcomes_at;
    u64 slots_at;
    u64 agents_at;          /* of struct bsc_agents */
    u64 soft_nanos;         /* a CPU that waited longer decides by itself */
    u64 starve_nanos;       /* a task that waited longer is run by the kernel's side */
    u64 host_nanos;         /* a host that is silent longer is taken for stopped */
    u64 timer_nanos;
    u32 entries;            /* of a channel */
    u32 places;             /* for a CPU's decisions */
    u32 staged;
    u32 tasks;
    u32 cpus;
    u32 version;            /* of the agents' ABI */
    u32 group_count;        /* cgroups whose tasks are ruled */
    u32 whole;              /* every task of the machine is ruled */
    u32 ticks;              /* CPU_TICK is sent */
    u32 rule_count;
    u16 cpu_of[BSC_CPUS];               /* the machine's number of the enclave's CPU */
    u16 index_of[BSC_MACHINE_CPUS];     /* and back; BSC_NO_CPU: not of the enclave */
    struct bsc_rule rules[BSC_RULES];
    u64 groups[BSC_GROUPS];             /* numbers of cgroups, with those below them */
};

/* Words of the page behind the region, which agents write. */
struct bsc_agents {
    u64 pid;                /* process whose threads are never ruled; 0: none but the host's own */
    u64 sleeps;             /* 1 while it waits for the bell; kernel: 0 when it has rung that */
};

/* Words of a map of their own, which agents can only read. */
struct bsc_page {
    u64 host_beat;          /* host: CLOCK_MONOTONIC, about every millisecond */
    u64 ready;              /* host: 1 while an agent decides */
    u64 posted;             /* kernel, from here on */
    u64 overflows;
    u64 local_decisions;
    u64 starved;
    u64 switches;
    u64 preemptions;
    u64 unruled;            /* times a task ran that nobody decides about */
    u64 prestage_hits;
    u64 parked;
    u64 retries;            /* decisions that came before their task was parked */
    u64 rings;              /* times that an agent which waited was woken */
    u64 exit_kind;
    u64 exit_code;
    u64 alone;              /* 1 while the kernel's side decides */
    u64 late;               /* local decisions because an agent was late */
    u64 ruled;              /* tasks now */
    u64 no_number;          /* tasks that found every number taken */
    u64 busy_nanos;         /* time that ruled tasks ran */
    u64 calls;              /* of ring: what the agent asked for by a call */
    u64 kicks;              /* CPUs asked to look for something to run */
    u64 turned_away;        /* tasks that came into the class and that nobody had asked for */
    u64 numbers;            /* of tasks, that any had so far */
    u64 lent;               /* local decisions for CPUs that the kernel lends, as threads of higher classes keep them */
    u64 reserved[7];
    u64 outcomes[16];
    u64 window[64];         /* decisions by floor(log2(enforced - observed)), ns */
    char exit_reason[128];
    char exit_message[256];
};

/* Argument and answer of the programs that the host and the agent call. */
struct bsc_call {
    u64 value;              /* open_epoch: the epoch; ring: the enclave's CPUs, a bit each */
    u64 answer;
};
