package dev.bascule.rdma;

import dev.bascule.ffi.Completions;
import dev.bascule.ffi.OwnThread;
import dev.bascule.ffi.SendRequests;
import dev.bascule.ffi.Verbs;
import dev.bascule.ffi.VerbsCodes;
import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;

/**
 * The host's end of an agent's bells: sleeps on the completion channel, hands each bell on, and gives the receive that it
 * used up back, of which the agent learns by a word. A thread of its own.
 */
final class BellListener implements AutoCloseable {
    /** Where the agent finds how many bells the host has heard. */
    static final long HEARD = 0;

    private static final long STEP_MILLIS = 50;
    private static final int TAKEN = 32;

    private final MirrorLink link;
    private final Verbs verbs;
    private final IntConsumer ring;
    private final MemorySegment receive = SendRequests.receive();
    private final Completions completions = new Completions(TAKEN);
    private final Thread thread;
    private volatile boolean closed;
    private long heard;

    /** @param ring gets the number of a CPU, which the agent chose */
    BellListener(MirrorLink link, IntConsumer ring) {
        this.link = link;
        this.ring = ring;
        verbs = link.device().verbs();
        thread = OwnThread.of("bascule RDMA bells", this::run, e -> link.fail("its bells: " + e));
        for (int i = 0; i < MirrorLink.BELLS; i++) {
            takeOneMore();
        }
    }

    private void takeOneMore() {
        int errno = verbs.postReceive(link.pair(), receive.address());
        if (errno != 0) {
            link.fail("ibv_post_recv: errno " + errno);
        }
    }

    /** Once the connection is up. */
    void start() {
        thread.start();
    }

    private void run() {
        verbs.arm(link.receiveCompletions());
        while (!closed) {
            link.poll(); // what waited for room leaves, also when nobody stores any more
            if (hear() == 0 && verbs.awaitEvent(link.channel(), STEP_MILLIS)) {
                verbs.arm(link.receiveCompletions()); // before the look that follows: what comes after that makes an event
            }
        }
    }

    private int hear() {
        int count = verbs.poll(link.receiveCompletions(), completions.capacity(), completions.address());
        if (count < 0) {
            link.fail("ibv_poll_cq: " + count);
            return 0;
        }
        int bells = 0;
        for (int i = 0; i < count; i++) {
            if (completions.status(i) != 0) {
                link.fail(completions.reason(i));
            } else if (completions.opcode(i) == VerbsCodes.IBV_WC_RECV_RDMA_WITH_IMM) {
                bells++;
                takeOneMore();
                ring.accept(completions.immediate(i));
            }
        }
        if (bells > 0) {
            heard += bells;
            link.storeAtPeer(HEARD, heard);
        }
        return bells;
    }

    @Override
    public void close() {
        closed = true;
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true; // the queues must not go while it polls them
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
