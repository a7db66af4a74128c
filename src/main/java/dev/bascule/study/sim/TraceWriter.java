package dev.bascule.study.sim;

import org.jspecify.annotations.Nullable;

/** Writes what happens into the trace of a run, if it has one. */
final class TraceWriter {
    private final @Nullable SimTrace trace;
    private final @Nullable SimTrace detailed;
    private final SimTime time;
    private final BusCounters bus;
    private long host;
    private long nic;
    private long interrupts;

    TraceWriter(@Nullable SimTrace trace, SimTime time, BusCounters bus) {
        this.trace = trace;
        detailed = trace != null && trace.isDetailed() ? trace : null;
        this.time = time;
        this.bus = bus;
    }

    /** Something happens now. */
    void add(SimTrace.Kind kind, int cpu, int task, int argument) {
        SimTrace to = trace;
        if (to != null) {
            to.add(time.nanoTime(), kind, cpu, task, argument);
        }
    }

    /** A round of an agent ends; for detailed traces. */
    void round(int agent, long tookNanos, int work) {
        if (detailed != null) {
            add(SimTrace.Kind.ROUND, agent, (int) Math.min(SimTrace.NO_TASK, tookNanos), work);
        }
    }

    /** Writes what has crossed the link since the last call; for detailed traces. */
    void link() {
        SimTrace to = detailed;
        if (to == null) {
            return;
        }
        long newHost = bus.hostReads + bus.hostWrites;
        long newNic = bus.nicReads + bus.nicWrites;
        if (newHost + newNic + bus.interrupts != host + nic + interrupts) {
            to.add(time.nanoTime(), SimTrace.Kind.LINK, (int) Math.min(0xffff, newHost - host),
                    (int) Math.min(0xff_ffff, newNic - nic), (int) (bus.interrupts - interrupts));
            host = newHost;
            nic = newNic;
            interrupts = bus.interrupts;
        }
    }
}
