/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The least that a scheduler of sched_ext can be, for scripts/bench --lab scx: one queue for all CPUs, first in, first out, and
 * all of it in the kernel.
 */
#include "../../scx/kernel.h"

#define QUEUE 1

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("struct_ops/fifo_enqueue")
void BPF_PROG(fifo_enqueue, struct task_struct *p, u64 enq_flags)
{
    scx_bpf_dsq_insert(p, QUEUE, SCX_SLICE_DFL, enq_flags);
}

SEC("struct_ops/fifo_dispatch")
void BPF_PROG(fifo_dispatch, s32 cpu, struct task_struct *prev)
{
    scx_bpf_dsq_move_to_local(QUEUE);
}

SEC("struct_ops.s/fifo_init")
s32 BPF_PROG(fifo_init)
{
    return scx_bpf_create_dsq(QUEUE, -1);
}

SEC(".struct_ops.link")
struct sched_ext_ops fifo = {
    .flags = SCX_OPS_SWITCH_PARTIAL,
    .timeout_ms = 20000,
    .name = "bascule_fifo",
    .enqueue = (void *)fifo_enqueue,
    .dispatch = (void *)fifo_dispatch,
    .init = (void *)fifo_init,
};
