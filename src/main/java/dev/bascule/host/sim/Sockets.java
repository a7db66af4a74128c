package dev.bascule.host.sim;

import dev.bascule.agent.Topology;

/** What reaches over to another socket than that of whoever acts, and what it costs. Nothing with one socket. */
final class Sockets {
    private final Topology topology;
    private final SimCosts.Crossing costs;
    private final SimTime time;

    Sockets(Topology topology, SimCosts costs, SimTime time) {
        this.topology = topology;
        this.costs = costs.crossing();
        this.time = time;
    }

    /** Whether there are others. */
    boolean isMany() {
        return topology.sockets() > 1;
    }

    /** Time an interrupt for the CPU takes beyond one within the socket. */
    long interruptNanos(int cpu) {
        return topology.socketOf(cpu) == time.socket() ? 0 : costs.interrupt();
    }

    /** Time a line takes that somebody on that socket wrote beyond one of this socket. */
    long lineNanos(int writerSocket) {
        return writerSocket == time.socket() ? 0 : costs.line();
    }

    /** The same for a line that the CPU wrote. */
    long lineOfCpuNanos(int cpu) {
        return lineNanos(topology.socketOf(cpu));
    }

    /** Time a line fill from the card takes beyond one from the first socket, where the card is. */
    long fillNanos() {
        return lineNanos(0);
    }
}
