package dev.bascule.swap;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Identity;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.region.RegionAgent;
import dev.bascule.agent.region.RegionHost;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.ring.Clock;
import dev.bascule.ring.Doorbell;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Host and agent of the swap transport in plain memory of this process, which tests may damage. */
final class SwapEnds {
    static final EnclaveShape SHAPE = new EnclaveShape(2, 16, 1, 16, 2);

    final SwapOptions options;
    final SwapLayout layout;
    final MemorySegment nic;
    final MemorySegment memory;
    private final PinnedMemory nicPinned;
    private final PinnedMemory hostPinned;
    final SwapLedger hostLedger = new SwapLedger(1 << 16);
    final SwapLedger agentLedger = new SwapLedger(1 << 16);
    RegionHost host;
    RegionAgent agent;
    private final Transaction out = new Transaction();
    private final Transaction in = new Transaction();
    private int sequence;

    SwapEnds(SwapOptions options) {
        this.options = options;
        layout = new SwapLayout(SHAPE, options.mode());
        nicPinned = PinnedMemory.allocate(layout.nicBytes());
        hostPinned = PinnedMemory.allocate(layout.hostBytes());
        nic = nicPinned.segment();
        memory = hostPinned.segment();
        host = openHost();
        agent = attach();
    }

    RegionHost openHost() {
        return openHost(options, hostLedger);
    }

    RegionHost openHost(SwapOptions with, SwapLedger ledger) {
        return SwapHost.open(links(), SHAPE, with, ledger, Clock.system());
    }

    RegionLinks links() {
        return new RegionLinks(new PinnedWindow(nicPinned), new PinnedWindow(nicPinned), new PinnedWindow(hostPinned),
                nic,
                List.of());
    }

    RegionAgent attach() {
        return SwapAgent.attach(new PinnedWindow(nicPinned), new PinnedWindow(hostPinned), nic, 0, System.nanoTime(),
                Doorbell.NONE,
                agentLedger, Clock.system());
    }

    /** The CPU asks and the agent promises a task in a version never used before. */
    Transaction promise(int cpu) {
        ask(cpu);
        out.set(cpu, agent.epoch(), ++sequence, 3);
        if (!agent.stage(cpu, out)) {
            throw new AssertionError("no room");
        }
        agent.commit();
        return out;
    }

    /** Messages, and what each CPU has to tell. */
    void commitHost() {
        for (int cpu = 0; cpu < host.shape().cpus(); cpu++) {
            host.commit(cpu);
        }
        host.commit();
    }

    void ask(int cpu) {
        host.want(cpu);
        commitHost();
        agent.outcomes((c, number, identity, outcome) -> {});
    }

    /** The decision taken, or null. */
    Transaction take(int cpu) {
        return host.poll(cpu, in) ? in : null;
    }

    int taken() {
        return Identity.sequence(in.identity());
    }

    /** Flips bits of a word. */
    static void damage(MemorySegment where, long offset, long bits) {
        var word = java.lang.foreign.ValueLayout.JAVA_LONG;
        where.set(word, offset, where.get(word, offset) ^ bits);
    }
}
