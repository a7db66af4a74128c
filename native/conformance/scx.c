/*
 * Prints what dev.bascule.host.scx.Layout writes out by hand of native/scx/layout.h. One line per item: struct NAME SIZE |
 * field STRUCT NAME OFFSET | constant NAME VALUE
 */
#include <stddef.h>
#include <stdio.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int s32;

#include "../scx/layout.h"

#define S(name) printf("struct %s %zu\n", #name, sizeof(struct name))
#define F(name, field) printf("field %s %s %zu\n", #name, #field, offsetof(struct name, field))
#define C(name) printf("constant %s %lld\n", #name, (long long)(name))

int main(void)
{
    S(bsc_config);
    F(bsc_config, arena);
    F(bsc_config, status_at);
    F(bsc_config, bank_at);
    F(bsc_config, channel_at);
    F(bsc_config, cpus_at);
    F(bsc_config, cpu_bytes);
    F(bsc_config, sleeping_at);
    F(bsc_config, claims_at);
    F(bsc_config, outcomes_at);
    F(bsc_config, slots_at);
    F(bsc_config, agents_at);
    F(bsc_config, soft_nanos);
    F(bsc_config, starve_nanos);
    F(bsc_config, host_nanos);
    F(bsc_config, timer_nanos);
    F(bsc_config, entries);
    F(bsc_config, places);
    F(bsc_config, staged);
    F(bsc_config, tasks);
    F(bsc_config, cpus);
    F(bsc_config, version);
    F(bsc_config, group_count);
    F(bsc_config, whole);
    F(bsc_config, ticks);
    F(bsc_config, cpu_of);
    F(bsc_config, rule_count);
    F(bsc_config, index_of);
    F(bsc_config, rules);
    F(bsc_config, groups);
    S(bsc_rule);
    F(bsc_rule, text);
    F(bsc_rule, mask);
    F(bsc_rule, group);
    F(bsc_rule, nice_from);
    F(bsc_rule, nice_to);
    F(bsc_rule, kind);
    F(bsc_rule, task_class);
    C(BSC_CPUS);
    C(BSC_MACHINE_CPUS);
    C(BSC_TIMEOUT_MILLIS);
    C(BSC_NO_CPU);
    C(BSC_GROUPS);
    F(bsc_agents, pid);
    F(bsc_agents, sleeps);
    F(bsc_page, host_beat);
    F(bsc_page, ready);
    F(bsc_page, posted);
    F(bsc_page, overflows);
    F(bsc_page, local_decisions);
    F(bsc_page, starved);
    F(bsc_page, switches);
    F(bsc_page, preemptions);
    F(bsc_page, unruled);
    F(bsc_page, prestage_hits);
    F(bsc_page, parked);
    F(bsc_page, retries);
    F(bsc_page, rings);
    F(bsc_page, exit_kind);
    F(bsc_page, exit_code);
    F(bsc_page, alone);
    F(bsc_page, late);
    F(bsc_page, ruled);
    F(bsc_page, no_number);
    F(bsc_page, busy_nanos);
    F(bsc_page, calls);
    F(bsc_page, kicks);
    F(bsc_page, turned_away);
    F(bsc_page, numbers);
    F(bsc_page, lent);
    F(bsc_page, outcomes);
    F(bsc_page, window);
    F(bsc_page, exit_reason);
    F(bsc_page, exit_message);
    S(bsc_call);
    F(bsc_call, value);
    F(bsc_call, answer);
    C(MSG_DEAD);
    C(MSG_BLOCKED);
    C(MSG_WAKEUP);
    C(MSG_NEW);
    C(MSG_PREEMPT);
    C(MSG_YIELD);
    C(MSG_DEPARTED);
    C(MSG_AFFINITY);
    C(MSG_ON_CPU);
    C(MSG_PRIORITY);
    C(MSG_TICK);
    C(MSG_NOT_IDLE);
    C(MSG_CPU_AVAILABLE);
    C(MSG_CPU_BUSY);
    C(COMPLETE);
    C(ABORTED);
    C(TARGET_ONCPU);
    C(TARGET_STALE);
    C(TARGET_NOT_FOUND);
    C(TARGET_NOT_RUNNABLE);
    C(AGENT_STALE);
    C(CPU_OFFLINE);
    C(CPU_UNAVAIL);
    C(INVALID_FLAGS);
    C(INVALID_TARGET);
    C(NOT_PERMITTED);
    C(INVALID_CPU);
    C(NO_AGENT);
    C(UNSUPPORTED_VERSION);
    C(POISONED);
    return 0;
}
