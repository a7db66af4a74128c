package dev.bascule.swap;

import dev.bascule.agent.Outgoing;
import dev.bascule.agent.StatusTable;
import dev.bascule.agent.TransportCounters;

/**
 * What one CPU of the host's end has for itself: windows, counters, the writer of its task's status word.
 *
 * @param links windows; those of the whole end where the host is one thread
 * @param counters of this thread
 * @param outgoing what it stored since the last fence
 * @param status on its window
 */
record SwapCpu(SwapLinks links, TransportCounters counters, Outgoing outgoing, StatusTable status) {}
