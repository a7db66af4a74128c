/**
 * The Linux kernel as host: its threads under agents, through sched_ext. The BPF side is {@code native/scx}.
 */
@NullMarked
package dev.bascule.host.scx;

import org.jspecify.annotations.NullMarked;
