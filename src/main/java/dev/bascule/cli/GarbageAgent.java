package dev.bascule.cli;

import dev.bascule.agent.Agent;
import dev.bascule.agent.Enclave;

/** A policy whose heap is kept busy, so that its collector pauses it now and then: for experiments. */
final class GarbageAgent implements Agent {
    private static final int BLOCK_BYTES = 16 << 10;
    private static final int LIVE_BLOCKS = 1024;
    private static final long EVERY_NANOS = 50_000;

    private final Agent policy;
    private final byte[][] live = new byte[LIVE_BLOCKS][];
    private int next;
    private long lastNanos;

    GarbageAgent(Agent policy) {
        this.policy = policy;
    }

    @Override
    public String name() {
        return policy.name();
    }

    @Override
    public void reset(Enclave enclave) {
        policy.reset(enclave);
    }

    @Override
    public int doWork(Enclave enclave) {
        if (enclave.now() - lastNanos > EVERY_NANOS) {
            lastNanos = enclave.now();
            live[next] = new byte[BLOCK_BYTES];
            next = (next + 1) % LIVE_BLOCKS;
        }
        return policy.doWork(enclave);
    }
}
