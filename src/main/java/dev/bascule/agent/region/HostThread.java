package dev.bascule.agent.region;

import dev.bascule.agent.Outgoing;
import dev.bascule.agent.StatusTable;
import dev.bascule.agent.TransportCounters;

/**
 * State that one thread of the host's end has for itself: a CPU's, or the one of messages and housekeeping. Where all
 * of the host is one thread, all of its CPUs have the same windows, counters and fence.
 *
 * @param links windows
 * @param counters what this thread has seen
 * @param outgoing what it stored since its last fence
 * @param status writer of status words
 * @param isApart whether its stores leave by fences of its own, and not with those of the thread of messages
 */
public record HostThread(RegionLinks links, TransportCounters counters, Outgoing outgoing, StatusTable status,
        boolean isApart) {
    static HostThread first(RegionLinks links, RegionLayout layout) {
        TransportCounters counters = new TransportCounters();
        return new HostThread(links, counters, new Outgoing(links.toNic(), counters), status(links, layout),
                false);
    }

    /** A CPU's: with windows and counters of its own if the host has several threads. */
    HostThread another(RegionLayout layout) {
        RegionLinks own = links.another();
        boolean apart = own != links;
        TransportCounters counted = apart ? new TransportCounters() : counters;
        return new HostThread(own, counted, apart ? new Outgoing(own.toNic(), counted) : outgoing,
                status(own, layout), apart);
    }

    private static StatusTable status(RegionLinks links, RegionLayout layout) {
        return new StatusTable(links.hostMemory(), layout.status(), layout.shape());
    }
}
