package dev.bascule.study.sim;

import dev.bascule.config.CostProfile;

/**
 * The figures of a {@link CostProfile} as the simulated host uses them, ns unless said otherwise. What each means is in
 * the profile's documentation.
 *
 * @param kernel what the host's own work costs
 * @param link what crossing the link costs, and a line between cores
 * @param agent what the agent's own work costs, where it runs
 * @param cores how fast the host's cores are
 * @param crossing what another socket costs
 */
public record SimCosts(Kernel kernel, Link link, AgentWork agent, Cores cores, Crossing crossing) {
    /**
     * Costs of the host's own work; {@code poll} is at least 1.
     *
     * @param coldStart caches and TLB of a task up to its first look at a job that is new to it
     * @param resume a spinning worker sees its next job
     * @param sourceLook the source of jobs looks for arrivals and free workers as often; 0: it sees both at once
     */
    public record Kernel(long entry, long contextSwitch, long coldStart, long message, long commit, long interrupt,
            long interprocessor, long resume, long fallback, long poll, long tick, long sourceLook) {
        private static final Kernel FREE = new Kernel(0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0);

        private static Kernel of(CostProfile p) {
            return new Kernel(p.nanos("kernel.entry"), p.nanos("kernel.contextSwitch"), p.nanos("kernel.coldStart"),
                    p.nanos("kernel.message"), p.nanos("kernel.commit"), p.nanos("kernel.interrupt"),
                    p.nanos("kernel.interprocessor"), p.nanos("kernel.resume"), p.nanos("kernel.fallback"),
                    Math.max(1, p.nanos("kernel.poll")), p.nanos("kernel.tick"), p.nanos("kernel.sourceLook"));
        }
    }

    /**
     * Costs of crossing the link, and of a line between cores.
     *
     * @param dmaBytesPerNano bandwidth each way
     * @param creditBytes what may be on its way each way
     * @param atomicOp a compare-and-swap of the NIC on host memory, until its completion is back
     * @param sharedLine a line over a coherent link that the other side has changed
     */
    public record Link(long readUc, long readWt, long mmioWrite, long postedWrite, long dmaRead, long dmaWrite,
            long msix, long coherentLine, double dmaBytesPerNano, double creditBytes, long atomicOp,
            long sharedLine) {
        private static final Link FREE = new Link(0, 0, 0, 0, 0, 0, 0, 0, 1e9, 1e18);

        /** A link on which an AtomicOp takes as long as a read, and a shared line as one between two cores. */
        public Link(long readUc, long readWt, long mmioWrite, long postedWrite, long dmaRead, long dmaWrite,
                long msix, long coherentLine, double dmaBytesPerNano, double creditBytes) {
            this(readUc, readWt, mmioWrite, postedWrite, dmaRead, dmaWrite, msix, coherentLine, dmaBytesPerNano,
                    creditBytes, dmaRead, coherentLine);
        }

        private static Link of(CostProfile p) {
            return new Link(p.nanos("link.mmioReadUc"), p.nanos("link.mmioReadWt"), p.nanos("link.mmioWrite"),
                    p.nanos("link.postedWrite"), p.nanos("link.dmaRead"), p.nanos("link.dmaWrite"),
                    p.nanos("link.msix"), p.nanos("link.coherentLine"), p.value("link.dmaBandwidth") / 1e9,
                    p.value("link.credits"), p.nanos("link.atomicOp"), p.nanos("link.sharedLine"));
        }
    }

    /**
     * Costs of the agent's own work, on the NIC or on a core of the host; {@code poll} and {@code restart} are at least
     * 1.
     *
     * @param round a round that handles a message or decides, beside these
     * @param decision a decision that runs a task
     * @param unschedule one that leaves the CPU without a task, which is a commit of its own
     * @param commit a commit of decisions that run tasks, however many
     * @param slowdown factor on measured policy code
     */
    public record AgentWork(long round, long message, long decision, long unschedule, long commit, long interrupt,
            long poll, long restart, double slowdown) {
        private static final AgentWork FREE = new AgentWork(0, 0, 0, 0, 0, 0, 1, 1_000_000, 1);

        private static AgentWork of(CostProfile p, boolean onNic) {
            String agent = onNic ? "nicAgent." : "hostAgent.";
            return new AgentWork(p.nanos(agent + "round"), p.nanos(agent + "message"), p.nanos(agent + "decision"),
                    p.nanos(agent + "unschedule"),
                    p.nanos(agent + "commit"), p.nanos(agent + "interrupt"), Math.max(1, p.nanos(agent + "poll")),
                    Math.max(1, p.nanos(agent + "restart")), onNic ? p.value("nicAgent.slowdown") : 1);
        }
    }

    /**
     * How fast the host's cores are.
     *
     * @param smtShare speed of an SMT sibling while the other is busy, 0 to 1
     * @param turboGain speed with few active cores, 1 or more
     */
    public record Cores(double smtShare, double turboGain) {}

    /**
     * Costs of another socket.
     *
     * @param migration a task that starts on another socket than it ran on last
     * @param line a line, or a line fill over the link, that comes from another socket
     * @param interrupt an interrupt for another socket
     */
    public record Crossing(long migration, long line, long interrupt) {}

    /** Nothing costs anything: what queueing theory assumes. */
    public static final SimCosts FREE = new SimCosts(Kernel.FREE, Link.FREE, AgentWork.FREE, new Cores(1, 1),
            new Crossing(0, 0, 0));

    /** The costs of a profile, with the agent on the NIC or on a core of the host. */
    public static SimCosts of(CostProfile p, boolean onNic) {
        return new SimCosts(Kernel.of(p), Link.of(p), AgentWork.of(p, onNic),
                new Cores(p.value("cpu.smtShare"), p.value("cpu.turboGain")), new Crossing(
                        p.nanos("socket.migration"), p.nanos("socket.line"), p.nanos("socket.interrupt")));
    }
}
