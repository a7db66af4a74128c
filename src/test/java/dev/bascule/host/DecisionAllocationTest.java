package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentLoop;
import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageType;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.OutcomeSink;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.region.RegionHost;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.local.LocalAgent;
import dev.bascule.local.LocalHost;
import dev.bascule.loopback.LinkProfile;
import dev.bascule.loopback.LinkedMemory;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.policy.FifoAgent;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.Waiter;
import dev.bascule.swap.SwapAgent;
import dev.bascule.swap.SwapHost;
import dev.bascule.swap.SwapMode;
import dev.bascule.swap.SwapOptions;
import dev.bascule.wave.WaveAgent;
import dev.bascule.wave.WaveHost;
import dev.bascule.wave.WaveOptions;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nothing between an event and the enforced decision allocates, over either transport. */
@Tag("process")
class DecisionAllocationTest {
    private static final EnclaveShape SHAPE = EnclaveShape.of(1, 8);
    private static final int MEASURED = 5_000;
    private static final long MOST_NANOS = 30_000_000_000L;

    private long sink;

    /** Both ends of a transport in memory of this process. */
    private record Ends(MechanismEnd host, AgentEnd agent) {}

    /** The transports, without injected latency. */
    private enum Transport {
        LOCAL {
            @Override
            Ends open() {
                var memory = PinnedMemory.allocate(LocalHost.sizeBytes(SHAPE));
                RegionHost host = LocalHost.open(memory, SHAPE, Waiter.NAPS);
                return new Ends(host, LocalAgent.attach(memory, 0, 1, Doorbell.NONE));
            }
        },
        WAVE {
            @Override
            Ends open() {
                LinkedMemory nic = new LinkedMemory(PinnedMemory.allocate(WaveHost.nicBytes(SHAPE)), null,
                        LinkProfile.ZERO);
                LinkedMemory memory = new LinkedMemory(PinnedMemory.allocate(WaveHost.hostBytes(SHAPE)), null,
                        LinkProfile.ZERO);
                RegionHost host = WaveHost.open(new RegionLinks(nic.host(MemoryType.WC, 1), nic.host(MemoryType.WT, 1),
                        memory.owner(), List.of()), SHAPE, WaveOptions.ALL);
                return new Ends(host, WaveAgent.attach(nic.owner(), memory.owner(), 0, 1, Doorbell.NONE));
            }
        },
        SWAP0 {
            @Override
            Ends open() {
                return swap(SwapMode.SWAP0);
            }
        },
        SWAP1 {
            @Override
            Ends open() {
                return swap(SwapMode.SWAP1);
            }
        },
        SWAP_END {
            @Override
            Ends open() {
                return swap(SwapMode.SWAP_END);
            }
        },
        ONE_WORD {
            @Override
            Ends open() {
                return swap(SwapMode.ONE_WORD);
            }
        };

        private static Ends swap(SwapMode mode) {
            SwapOptions options = SwapOptions.DEFAULT.withMode(mode);
            boolean coherent = mode == SwapMode.ONE_WORD;
            LinkedMemory nic = new LinkedMemory(PinnedMemory.allocate(SwapHost.nicBytes(SHAPE, options)), null,
                    LinkProfile.ZERO);
            LinkedMemory memory = new LinkedMemory(PinnedMemory.allocate(SwapHost.hostBytes(SHAPE, options)), null,
                    LinkProfile.ZERO);
            RegionHost host = SwapHost.open(new RegionLinks(nic.host(coherent ? MemoryType.WB : MemoryType.WC, 1),
                    nic.host(coherent ? MemoryType.WB : MemoryType.WT, 1), memory.owner(), nic.segment(), List.of()),
                    SHAPE, options);
            return new Ends(host,
                    SwapAgent.attach(nic.owner(), memory.owner(), nic.segment(), 0, 1, Doorbell.NONE));
        }

        abstract Ends open();
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void aMessagePostedAndTaken(Transport transport) {
        Ends ends = transport.open();
        Message out = new Message();
        Message in = new Message();
        assertThat(allocatedBytesBy(() -> {
            out.set(MessageType.TASK_WAKEUP, ends.host().epoch(), (int) sink, 3).dueNanos(sink);
            check(ends.host().post(0, out));
            ends.host().commit();
            check(ends.agent().peek(in));
            ends.agent().consume();
            sink += in.task();
        })).isZero();
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void aDecisionStagedTakenAndSettled(Transport transport) {
        Ends ends = transport.open();
        Transaction out = new Transaction();
        Transaction in = new Transaction();
        OutcomeSink outcomes = (cpu, number, identity, outcome) -> sink += number;
        assertThat(allocatedBytesBy(() -> {
            ends.host().want(0);
            ends.host().commit(0);
            ends.agent().heartbeat();
            check(ends.agent().stage(0, out.set(0, ends.agent().epoch(), (int) sink, 3)));
            ends.agent().commit();
            check(ends.host().poll(0, in) || ends.host().poll(0, in)); // the first look may be at a prefetched copy
            ends.host().settle(in, Outcome.COMPLETE);
            ends.host().commit(0);
            check(ends.agent().outcomes(outcomes) == 1);
        })).isZero();
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void aWholeDecision(Transport transport) {
        Ends ends = transport.open();
        Mechanism host = new Mechanism(ends.host(), System::nanoTime, DecisionListener.NONE);
        AgentLoop agent = new AgentLoop(new FifoAgent(), ends.agent(), System::nanoTime);
        agent.turn();
        int task = host.create(false, -1, 0, 0);
        assertThat(allocatedBytesBy(() -> {
            host.wakeup(task, 5, 1, sink, 10_000);
            host.want(0);
            host.commit();
            agent.turn();
            check(host.decide(0) == task || host.decide(0) == task);
            host.blocked(task, 10);
            host.commit();
            agent.turn();
        })).isZero();
    }

    private static void check(boolean done) {
        if (!done) {
            throw new IllegalStateException("the step was not done");
        }
    }

    /** Fewest bytes of many rounds: none once the code is compiled; a step that allocates does so in every round. */
    private static long allocatedBytesBy(Runnable step) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long fewest = Long.MAX_VALUE;
        long deadline = System.nanoTime() + MOST_NANOS;
        while (fewest > 0 && System.nanoTime() < deadline) {
            long before = threads.getCurrentThreadAllocatedBytes();
            long between = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < MEASURED; i++) {
                step.run();
            }
            long after = threads.getCurrentThreadAllocatedBytes();
            fewest = Math.min(fewest, after - between - (between - before));
        }
        return fewest;
    }
}
