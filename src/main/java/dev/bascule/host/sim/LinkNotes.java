package dev.bascule.host.sim;

/** Writes down what crossed the link in each step, for a detailed trace. */
final class LinkNotes {
    private final BusCounters bus;
    private final SimTrace trace;
    private long host;
    private long nic;
    private long interrupts;

    LinkNotes(BusCounters bus, SimTrace trace) {
        this.bus = bus;
        this.trace = trace;
    }

    /** A step is over. */
    void step(long nowNanos) {
        long newHost = bus.hostReads + bus.hostWrites;
        long newNic = bus.nicReads + bus.nicWrites;
        if (newHost + newNic + bus.interrupts != host + nic + interrupts) {
            trace.add(nowNanos, SimTrace.Kind.LINK, (int) Math.min(0xffff, newHost - host),
                    (int) Math.min(0xff_ffff, newNic - nic), (int) (bus.interrupts - interrupts));
            host = newHost;
            nic = newNic;
            interrupts = bus.interrupts;
        }
    }
}
