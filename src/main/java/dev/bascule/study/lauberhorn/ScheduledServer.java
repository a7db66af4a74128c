package dev.bascule.study.lauberhorn;

import dev.bascule.agent.Agent;
import dev.bascule.host.JobRunner;
import dev.bascule.host.JobSource;
import dev.bascule.host.LiveHost;
import dev.bascule.host.YieldPoint;
import dev.bascule.model.WireEnd;
import dev.bascule.policy.FifoAgent;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Supplier;

/**
 * The demonstration service 0 on a live host of one CPU: each frame is a job, and an agent decides over the host's transport
 * when the CPU takes it. It is the wire of its client as well.
 * <p>
 * Thread rule: {@link #transmit} and {@link #poll} from one thread.
 */
final class ScheduledServer implements WireEnd, JobSource, JobRunner {
    private static final int SLOTS = 64;
    private static final long HOUR_NANOS = 3_600_000_000_000L;
    private static final int ASKED = 1;
    private static final int SERVED = 2;

    /** Makes the host: {@link LiveHost#wave}, say. */
    @FunctionalInterface
    interface Transport {
        LiveHost start(Supplier<? extends Agent> policy, int cpus, JobRunner jobs);
    }

    private final SoftwareServer server = new SoftwareServer();
    private final byte[][] frames = new byte[SLOTS][SoftwareServer.FRAME_BYTES];
    private final int[] lengths = new int[SLOTS];
    private final long[] dueNanos = new long[SLOTS];
    private final AtomicIntegerArray states = new AtomicIntegerArray(SLOTS);
    private final LiveHost host;
    private final Thread thread;
    private volatile boolean stopping;
    private int sent;
    private int taken;
    private int polled;

    ScheduledServer(Transport transport) {
        host = transport.start(FifoAgent::new, 1, this);
        thread = Thread.ofPlatform().daemon().name("scheduled-server").start(this::serve);
    }

    private void serve() {
        try {
            host.serve(this, HOUR_NANOS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean transmit(byte[] data, int offset, int lengthBytes) {
        int slot = sent & SLOTS - 1;
        if (sent - polled == SLOTS || lengthBytes > SoftwareServer.FRAME_BYTES) {
            return false;
        }
        System.arraycopy(data, offset, frames[slot], 0, lengthBytes);
        lengths[slot] = lengthBytes;
        dueNanos[slot] = System.nanoTime();
        states.set(slot, ASKED);
        sent++;
        return true;
    }

    @Override
    public int poll(FrameSink sink, int budget) {
        int count = 0;
        while (count < budget && polled != sent && states.get(polled & SLOTS - 1) == SERVED) {
            int slot = polled & SLOTS - 1;
            if (lengths[slot] > 0) {
                sink.frame(frames[slot], 0, lengths[slot]);
            }
            states.set(slot, 0);
            polled++;
            count++;
        }
        return count;
    }

    // ---- the host's side -----------------------------------------------------------------------------------------

    @Override
    public long nextDueNanos() {
        int slot = taken & SLOTS - 1;
        if (states.get(slot) == ASKED) {
            return dueNanos[slot];
        }
        return stopping ? NO_MORE : System.nanoTime() + 1; // to be asked again at the next look
    }

    @Override
    public int take() {
        return taken++ & SLOTS - 1;
    }

    @Override
    public void rejected(int slot) {
        throw new IllegalStateException("the host's backlog is longer than " + SLOTS + " slots");
    }

    @Override
    public void run(int slot, YieldPoint yield) {
        lengths[slot] = server.serve(frames[slot], lengths[slot]);
        states.set(slot, SERVED);
    }

    /** Decisions that the CPU took by itself because the agent was late. */
    long decidedAlone() {
        return host.counters().localDecisions();
    }

    @Override
    public void close() {
        stopping = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        host.close();
    }
}
