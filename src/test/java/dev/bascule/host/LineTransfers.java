package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.AgentLoop;
import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.region.AgentLinks;
import dev.bascule.agent.region.Protocol;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.policy.FifoAgent;
import dev.bascule.ring.Clock;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.Waiter;
import java.util.List;

/**
 * Lines that whole decisions move between the two cores of host and agent, over one transport, where nobody has to look
 * twice: a task of each CPU yields, the agent reads it all and decides, the host enforces it. One CPU makes batches of one
 * decision, eight of eight. Counted by windows, so these figures are those of any machine.
 */
final class LineTransfers {
    static final int DECISIONS = 1024;
    private static final int WARM_UP = 1024;
    private static final int HOST = 0;
    private static final int AGENT = 1;

    private final CountedLines nic;
    private final CountedLines memory;
    private final Mechanism host;
    private final AgentLoop agent;
    private final int[] running;

    private LineTransfers(Protocol protocol, int cpus) {
        EnclaveShape shape = new EnclaveShape(cpus, 8, 1, 1024, 2);
        Protocol.Sizes sizes = protocol.sizes(shape);
        nic = new CountedLines("NIC", sizes.nicBytes());
        memory = new CountedLines("host", sizes.hostBytes());
        host = new Mechanism(protocol.host(
                new RegionLinks(nic.of(HOST), nic.of(HOST), memory.of(HOST), List.of(Waiter.NAPS)), shape,
                Clock.system()), System::nanoTime, DecisionListener.NONE);
        agent = new AgentLoop(new FifoAgent(), protocol.agent(
                new AgentLinks(nic.of(AGENT), memory.of(AGENT), null, Doorbell.NONE), 0, 1), System::nanoTime);
        agent.turn();
        running = new int[cpus];
        for (int cpu = 0; cpu < cpus; cpu++) {
            running[cpu] = Mechanism.NONE;
            host.create(true, 1L << cpu, 0, 0);
        }
        batch();
    }

    /** Decisions counted, in batches of one for each of {@code cpus} CPUs. */
    private static LineTransfers counted(Protocol protocol, int cpus) {
        LineTransfers transfers = new LineTransfers(protocol, cpus);
        transfers.decide(WARM_UP);
        transfers.nic.forget();
        transfers.memory.forget();
        transfers.decide(DECISIONS);
        return transfers;
    }

    private long moved() {
        return nic.moved() + memory.moved();
    }

    /** Moves a decision, one by one. */
    static double perDecision(Protocol protocol) {
        return (double) counted(protocol, 1).moved() / DECISIONS;
    }

    /** Assertion of the moves of {@value #DECISIONS} decisions, in batches of one for each of {@code cpus} CPUs. */
    static void assertMoves(Protocol protocol, int cpus, long moves) {
        LineTransfers counted = counted(protocol, cpus);
        assertThat(counted.moved()).as("line moves of %d decisions of %s, %d at a time: %s%s", DECISIONS,
                protocol.name(), cpus, counted.nic.text(DECISIONS), counted.memory.text(DECISIONS)).isEqualTo(moves);
    }

    private void decide(int decisions) {
        for (int i = 0; i < decisions; i += running.length) {
            for (int cpu = 0; cpu < running.length; cpu++) {
                host.yielded(running[cpu], 0);
                running[cpu] = Mechanism.NONE;
            }
            batch();
        }
    }

    private void batch() {
        for (int cpu = 0; cpu < running.length; cpu++) {
            host.want(cpu);
        }
        host.commit();
        int left = running.length;
        for (int turns = 0; left > 0; turns++) {
            assertThat(turns).as("turns of the agent for one batch").isLessThan(8);
            agent.turn();
            for (int cpu = 0; cpu < running.length; cpu++) {
                if (running[cpu] == Mechanism.NONE) {
                    running[cpu] = host.decide(cpu);
                    left -= running[cpu] == Mechanism.NONE ? 0 : 1;
                }
            }
        }
    }
}
