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
import dev.bascule.swap.SwapMode;
import dev.bascule.swap.SwapOptions;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.wave.WaveOptions;
import dev.bascule.wave.WaveProtocol;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Lines that a whole decision moves between the two cores of host and agent, over each transport, where nobody has to look
 * twice: a task yields, the agent reads it and decides, the host enforces it. A change that moves one line more is slower by
 * half a round trip of a line, whatever the machine, and is red here.
 */
class LineTransfersTest {
    private static final int DECISIONS = 1024;
    private static final int WARM_UP = 1024;
    private static final int HOST = 0;
    private static final int AGENT = 1;

    private static Protocol protocol(String name) {
        return switch (name) {
            case "wave" -> new WaveProtocol(WaveOptions.ALL);
            case "wave-push" -> new WaveProtocol(WaveOptions.ALL.withPush(true));
            default -> new SwapProtocol(SwapOptions.DEFAULT.withMode(SwapMode.of(name)));
        };
    }

    @ParameterizedTest
    @CsvSource({ "wave, 4098", "wave-push, 4098", "swap0, 8194", "swap1, 8194", "swap-end, 8194" })
    void a1024DecisionsMoveSoManyLines(String transport, long lines) {
        EnclaveShape shape = new EnclaveShape(1, 8, 1, 1024, 2);
        Protocol protocol = protocol(transport);
        Protocol.Sizes sizes = protocol.sizes(shape);
        CountedLines nic = new CountedLines("NIC", sizes.nicBytes());
        CountedLines memory = new CountedLines("host", sizes.hostBytes());
        Mechanism host = new Mechanism(protocol.host(
                new RegionLinks(nic.of(HOST), nic.of(HOST), memory.of(HOST), List.of(Waiter.NAPS)), shape,
                Clock.system()), System::nanoTime, DecisionListener.NONE);
        AgentLoop agent = new AgentLoop(new FifoAgent(), protocol.agent(
                new AgentLinks(nic.of(AGENT), memory.of(AGENT), null, Doorbell.NONE), 0, 1), System::nanoTime);
        agent.turn();
        int task = host.create(true, -1, 0, 0);
        while (host.decide(0) != task) {
            host.want(0);
            host.commit();
            agent.turn();
        }
        for (int i = 0; i < WARM_UP; i++) {
            decide(host, agent, task);
        }
        nic.forget();
        memory.forget();
        for (int i = 0; i < DECISIONS; i++) {
            decide(host, agent, task);
        }
        long moved = nic.moved() + memory.moved();
        assertThat(moved).as(nic.text(DECISIONS) + memory.text(DECISIONS)).isEqualTo(lines);
    }

    private static void decide(Mechanism host, AgentLoop agent, int task) {
        host.yielded(task, 0);
        host.want(0);
        host.commit();
        int turns = 0;
        do {
            agent.turn();
            assertThat(++turns).as("turns of the agent for one decision").isLessThan(8);
        } while (host.decide(0) != task);
    }
}
