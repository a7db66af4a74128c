package dev.bascule.host.sim;

import dev.bascule.config.CostProfile;

/**
 * The figures of a {@link CostProfile} as the simulated host uses them, ns unless said otherwise. What each means is in
 * the profile's documentation.
 *
 * @param dmaBytesPerNano bandwidth
 * @param agentSlowdown factor on measured policy code
 * @param smtShare speed of an SMT sibling while the other is busy, 0 to 1
 * @param crossing what another socket costs
 * @param turboGain speed with few active cores, 1 or more
 */
public record SimCosts(long entry, long contextSwitch, long message, long commit, long interrupt, long interprocessor,
        long fallback, long poll, long tick, long readUc, long readWt, long mmioWrite, long postedWrite, long dmaRead,
        long dmaWrite, long msix, long coherentLine, double dmaBytesPerNano, long agentMessage, long agentDecision,
        long agentInterrupt, long agentPoll, long agentRestart, double agentSlowdown, double smtShare,
        double turboGain,
        Crossing crossing) {
    /**
     * What another socket costs.
     *
     * @param migration a task that starts on another socket than it ran on last
     * @param line a line, or a line fill over the link, that comes from another socket
     * @param interrupt an interrupt for another socket
     */
    public record Crossing(long migration, long line, long interrupt) {}

    /** Nothing costs anything: what queueing theory assumes. */
    public static final SimCosts FREE = new SimCosts(0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1e9, 0, 0, 0, 1,
            1_000_000, 1, 1, 1, new Crossing(0, 0, 0));

    /** The costs of a profile, with the agent on the NIC or on a core of the host. */
    public static SimCosts of(CostProfile p, boolean onNic) {
        String agent = onNic ? "nicAgent." : "hostAgent.";
        return new SimCosts(p.nanos("kernel.entry"), p.nanos("kernel.contextSwitch"), p.nanos("kernel.message"),
                p.nanos("kernel.commit"), p.nanos("kernel.interrupt"), p.nanos("kernel.interprocessor"),
                p.nanos("kernel.fallback"), Math.max(1, p.nanos("kernel.poll")), p.nanos("kernel.tick"),
                p.nanos("link.mmioReadUc"), p.nanos("link.mmioReadWt"), p.nanos("link.mmioWrite"),
                p.nanos("link.postedWrite"), p.nanos("link.dmaRead"), p.nanos("link.dmaWrite"), p.nanos("link.msix"),
                p.nanos("link.coherentLine"), p.value("link.dmaBandwidth") / 1e9, p.nanos(agent + "message"),
                p.nanos(agent + "decision"), p.nanos(agent + "interrupt"), Math.max(1, p.nanos(agent + "poll")),
                Math.max(1, p.nanos(agent + "restart")), onNic ? p.value("nicAgent.slowdown") : 1,
                p.value("cpu.smtShare"), p.value("cpu.turboGain"), new Crossing(p.nanos("socket.migration"),
                        p.nanos("socket.line"), p.nanos("socket.interrupt")));
    }
}
