package dev.bascule.study.sim;

import dev.bascule.agent.Topology;

/** Costs of reaching another socket from that of the actor whose turn it is. Nothing if there is only one. */
final class SocketCosts {
    private final Topology topology;
    private final SimCosts.Crossing costs;
    private final SimTime time;

    SocketCosts(Topology topology, SimCosts costs, SimTime time) {
        this.topology = topology;
        this.costs = costs.crossing();
        this.time = time;
    }

    /** Whether there is more than one socket. */
    boolean hasOthers() {
        return topology.sockets() > 1;
    }

    /** Time an interrupt for the CPU takes beyond one within the socket. */
    long interruptNanos(int cpu) {
        return topology.socketOf(cpu) == time.socket() ? 0 : costs.interrupt();
    }

    /** Time that a line written on that socket takes beyond one written on this socket. */
    long lineNanos(int writerSocket) {
        return writerSocket == time.socket() ? 0 : costs.line();
    }

    /** Cost of a line that the CPU wrote, ns. */
    long lineOfCpuNanos(int cpu) {
        return lineNanos(topology.socketOf(cpu));
    }

    /** Time a line fill from the card takes beyond one from the first socket, where the card is. */
    long fillNanos() {
        return lineNanos(0);
    }
}
