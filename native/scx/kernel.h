/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's declarations that bascule.bpf.c needs, and no more: libbpf finds members, enum values and functions by name in
 * the running kernel (CO-RE), so parts of structs are enough and no vmlinux.h is needed to build. Enum values below are of
 * this file only; the kernel's own are put in their place.
 */
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int s32;
typedef long long s64;
typedef _Bool bool;
enum { false, true };

/* what libbpf's headers call them */
typedef u8 __u8;
typedef u16 __u16;
typedef u32 __u32;
typedef u64 __u64;
typedef s32 __s32;
typedef s64 __s64;
typedef u16 __be16;
typedef u32 __be32;
typedef u32 __wsum;
typedef u16 __sum16;

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

enum { BPF_MAP_TYPE_HASH = 1, BPF_MAP_TYPE_ARRAY = 2, BPF_MAP_TYPE_STACK = 23, BPF_MAP_TYPE_RINGBUF = 27, BPF_MAP_TYPE_TASK_STORAGE = 29,
    BPF_MAP_TYPE_ARENA = 33 };
enum { BPF_F_NO_PREALLOC = 1, BPF_F_MMAPABLE = 1 << 10 };
enum { BPF_LOCAL_STORAGE_GET_F_CREATE = 1, BPF_RB_NO_WAKEUP = 1, BPF_RB_FORCE_WAKEUP = 2 };
enum { CLOCK_MONOTONIC = 1 };

#define SCX_DSQ_LOCAL_ON 0xc000000000000000ULL
#define SCX_DSQ_LOCAL 0x8000000000000002ULL
#define SCX_SLICE_DFL 20000000ULL
#define SCX_SLICE_INF (~0ULL)
#define SCHED_EXT 7
#define PF_EXITING 0x4
#define PF_KTHREAD 0x200000

/* flags of struct sched_ext_ops: data, which nobody relocates */
enum { SCX_OPS_KEEP_BUILTIN_IDLE = 1, SCX_OPS_ENQ_LAST = 2, SCX_OPS_SWITCH_PARTIAL = 8 };

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct cpumask {
    u64 bits[1];
} cpumask_t;

struct sched_ext_entity {
    u64 slice;
    bool disallow;
};

struct css_set {
    u64 unused;
};

struct cgroup {
    int level;
};

struct task_struct {
    s32 pid;
    s32 tgid;
    u32 flags;
    u32 policy;
    s32 static_prio;
    const cpumask_t *cpus_ptr;
    struct css_set *cgroups;
    struct task_struct *group_leader;
    u64 start_boottime;
    struct sched_ext_entity scx;
    char comm[16];
};

struct scx_rq {
    u32 nr_running;
};

struct sched_dl_entity {
    u64 dl_runtime;
};

struct rq {
    u32 nr_running;
    struct scx_rq scx;
    struct sched_dl_entity ext_server; /* Linux 7.0 and newer */
};

struct scx_init_task_args {
    bool fork;
};

enum scx_exit_kind { SCX_EXIT_NONE };

struct scx_exit_info {
    enum scx_exit_kind kind;
    s64 exit_code;
    const char *reason;
    const char *msg;
};

enum scx_cpu_preempt_reason { SCX_CPU_PREEMPT_RT, SCX_CPU_PREEMPT_DL };

struct scx_cpu_release_args {
    enum scx_cpu_preempt_reason reason;
};

#pragma clang attribute pop

enum scx_enq_flags { SCX_ENQ_HEAD, SCX_ENQ_LAST, SCX_ENQ_PREEMPT };
enum scx_deq_flags { SCX_DEQ_SLEEP };
enum scx_kick_flags { SCX_KICK_IDLE, SCX_KICK_PREEMPT };

/* A value of one of those enums, as the running kernel has it. */
#define KERNEL_VALUE(type, name) bpf_core_enum_value(enum type, name)

struct bpf_iter_scx_dsq {
    u64 __opaque[6];
} __attribute__((aligned(8)));

struct bpf_timer {
    u64 __opaque[2];
} __attribute__((aligned(8)));

/* The operations in use, in an order of our own. KernelOps has the offsets of what it changes. */
struct sched_ext_ops {
    u64 flags;
    u32 timeout_ms;
    char name[128];
    s32 (*select_cpu)(struct task_struct *, s32, u64);
    void (*enqueue)(struct task_struct *, u64);
    void (*dispatch)(s32, struct task_struct *);
    void (*tick)(struct task_struct *);
    void (*running)(struct task_struct *);
    void (*stopping)(struct task_struct *, bool);
    void (*quiescent)(struct task_struct *, u64);
    bool (*yield)(struct task_struct *, struct task_struct *);
    void (*set_weight)(struct task_struct *, u32);
    void (*set_cpumask)(struct task_struct *, const struct cpumask *);
    void (*cpu_release)(s32, struct scx_cpu_release_args *);
    void (*cpu_online)(s32);
    void (*cpu_offline)(s32);
    s32 (*init_task)(struct task_struct *, struct scx_init_task_args *);
    void (*enable)(struct task_struct *);
    void (*disable)(struct task_struct *);
    s32 (*init)(void);
    void (*exit)(struct scx_exit_info *);
};

extern s32 scx_bpf_create_dsq(u64 dsq_id, s32 node) __ksym;
extern void scx_bpf_dsq_insert(struct task_struct *p, u64 dsq_id, u64 slice, u64 enq_flags) __ksym;
extern bool scx_bpf_dsq_move_to_local(u64 dsq_id) __ksym;
extern s32 scx_bpf_dsq_nr_queued(u64 dsq_id) __ksym;
extern bool scx_bpf_dsq_move(struct bpf_iter_scx_dsq *it__iter, struct task_struct *p, u64 dsq_id, u64 enq_flags) __ksym;
extern void scx_bpf_dsq_move_set_slice(struct bpf_iter_scx_dsq *it__iter, u64 slice) __ksym;
extern int bpf_iter_scx_dsq_new(struct bpf_iter_scx_dsq *it, u64 dsq_id, u64 flags) __ksym;
extern struct task_struct *bpf_iter_scx_dsq_next(struct bpf_iter_scx_dsq *it) __ksym;
extern void bpf_iter_scx_dsq_destroy(struct bpf_iter_scx_dsq *it) __ksym;
extern u32 scx_bpf_reenqueue_local(void) __ksym __weak;
extern void scx_bpf_kick_cpu(s32 cpu, u64 flags) __ksym;
extern s32 scx_bpf_select_cpu_dfl(struct task_struct *p, s32 prev_cpu, u64 wake_flags, bool *is_idle) __ksym;
extern s32 scx_bpf_pick_idle_cpu(const struct cpumask *cpus_allowed, u64 flags) __ksym;
extern bool scx_bpf_task_set_slice(struct task_struct *p, u64 slice) __ksym __weak;
extern s32 scx_bpf_task_cpu(const struct task_struct *p) __ksym;
extern bool bpf_cpumask_test_cpu(u32 cpu, const struct cpumask *cpumask) __ksym;
extern struct task_struct *bpf_task_from_pid(s32 pid) __ksym;
extern void bpf_task_release(struct task_struct *p) __ksym;
extern struct cgroup *bpf_cgroup_from_id(u64 id) __ksym;
extern void bpf_cgroup_release(struct cgroup *group) __ksym;
extern long bpf_task_under_cgroup(struct task_struct *task, struct cgroup *ancestor) __ksym;
extern void bpf_rcu_read_lock(void) __ksym;
extern void bpf_rcu_read_unlock(void) __ksym;
