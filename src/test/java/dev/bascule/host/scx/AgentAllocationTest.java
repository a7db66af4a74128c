package dev.bascule.host.scx;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.bascule.agent.AgentLoop;
import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.ffi.BpfBell;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libbpf;
import dev.bascule.ffi.Libc;
import dev.bascule.local.LocalAgent;
import dev.bascule.local.LocalHost;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.policy.FifoAgent;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.Waiter;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An agent beside the kernel allocates nothing while it decides, waits, sleeps and rings, once its code is compiled. */
@Tag("process")
class AgentAllocationTest {
    private static final EnclaveShape SHAPE = EnclaveShape.of(1, 8);
    private static final int MEASURED = 5_000;
    private static final long MOST_NANOS = 30_000_000_000L;
    private static final Runnable NOTHING = () -> {};

    private final KernelPage page = new KernelPage(PinnedMemory.allocate(Layout.PAGE_BYTES),
            PinnedMemory.allocate(Layout.PAGE_BYTES));

    /** Of a file, which is always ready: a sleeper wakes at once. */
    private static BpfBell bell() {
        Fd file = Libc.memfd("bell", 0);
        file.truncate(2L * Libc.pageSizeBytes());
        return new BpfBell(file);
    }

    @Test
    void anAgentThatDecidesAndWaits() {
        PinnedMemory memory = PinnedMemory.allocate(LocalHost.sizeBytes(SHAPE));
        Mechanism host = new Mechanism(LocalHost.open(memory, SHAPE, Waiter.NAPS), System::nanoTime,
                DecisionListener.NONE);
        AgentLoop agent = new AgentLoop(new FifoAgent(), LocalAgent.attach(memory, 0, 1, Doorbell.NONE),
                System::nanoTime);
        KernelIdle idle = new KernelIdle(page, bell(), 4);
        agent.turn();
        int task = host.create(false, -1, 0, 0);
        assertThat(allocatedBytesBy(() -> {
            host.wakeup(task, 0);
            host.commit();
        }, () -> idle.idle(agent.turn()), () -> {
            check(host.decide(0) == task);
            host.blocked(task, 10);
            host.commit();
        }, () -> {
            for (int i = 0; i < 8; i++) {
                idle.idle(agent.turn());
            }
        })).isZero();
    }

    @Test
    void anAgentThatSleeps() {
        KernelIdle idle = new KernelIdle(page, bell(), 0);
        idle.idle(0);
        assertThat(allocatedBytesBy(NOTHING, () -> idle.idle(0))).isZero();
    }

    @Test
    void anAgentThatRings() {
        Assumptions.assumeTrue(Libbpf.isAvailable(), Libbpf.reason());
        KernelBell bell = new KernelBell(-1); // no program: the call is made, and refused
        assertThat(allocatedBytesBy(NOTHING, () -> {
            bell.ring(1);
            bell.flush();
        })).isZero();
    }

    private static void check(boolean done) {
        if (!done) {
            throw new IllegalStateException("the step was not done");
        }
    }

    /**
     * Fewest bytes that the agent's steps, every second one, take in many rounds: none once the code is compiled; a step that
     * allocates does so in every round.
     */
    private static long allocatedBytesBy(Runnable... steps) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long fewest = Long.MAX_VALUE;
        long deadline = System.nanoTime() + MOST_NANOS;
        while (fewest > 0 && System.nanoTime() < deadline) {
            long bytes = 0;
            for (int i = 0; i < MEASURED * steps.length; i++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                steps[i % steps.length].run();
                bytes += i % 2 == 0 ? 0 : threads.getCurrentThreadAllocatedBytes() - before;
            }
            fewest = Math.min(fewest, bytes);
        }
        return fewest;
    }
}
