package dev.bascule.swap;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Identity;
import dev.bascule.agent.Transaction;
import dev.bascule.memory.DirectWindow;
import dev.bascule.ring.Doorbell;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Host and agent of the swap transport in plain memory of this process, which tests may damage. */
final class SwapEnds {
    static final EnclaveShape SHAPE = new EnclaveShape(2, 16, 1, 16, 2);

    final SwapOptions options;
    final SwapLayout layout;
    final MemorySegment nic;
    final MemorySegment memory;
    final Ledger hostLedger = new Ledger(1 << 16);
    final Ledger agentLedger = new Ledger(1 << 16);
    SwapHost host;
    SwapAgent agent;
    private final Transaction out = new Transaction();
    private final Transaction in = new Transaction();
    private int sequence;

    SwapEnds(SwapOptions options) {
        this.options = options;
        layout = new SwapLayout(SHAPE, options.mode());
        nic = Arena.ofAuto().allocate(layout.nicBytes(), 64);
        memory = Arena.ofAuto().allocate(layout.hostBytes(), 64);
        host = openHost();
        agent = attach();
    }

    SwapHost openHost() {
        return openHost(options, hostLedger);
    }

    SwapHost openHost(SwapOptions with, Ledger ledger) {
        return new SwapHost(new SwapLinks(new DirectWindow(nic), new DirectWindow(nic), new DirectWindow(memory), nic,
                List.of()), SHAPE, with, ledger);
    }

    SwapAgent attach() {
        return new SwapAgent(new DirectWindow(nic), new DirectWindow(memory), nic, 0, System.nanoTime(), Doorbell.NONE,
                agentLedger);
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

    void ask(int cpu) {
        host.want(cpu);
        host.commit();
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
