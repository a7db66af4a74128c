package dev.bascule.workload.steering;

import dev.bascule.ffi.OwnThread;
import dev.bascule.host.lauberhorn.BypassFrames;
import dev.bascule.host.lauberhorn.DirectCalls;
import dev.bascule.model.WireEnd;
import dev.bascule.model.lauberhorn.NicAddress;
import dev.bascule.model.lauberhorn.NicCounters;
import dev.bascule.model.lauberhorn.RpcFront;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.RxQueue;
import dev.bascule.nic.TxQueue;
import dev.bascule.ring.IdleStrategy;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * The NIC's side of RPC steering: one thread that polls a card's queue, takes frames apart and refuses what cannot be served,
 * passes the rest on as jobs, and sends the answers. ARP and echo requests are answered; other frames are nobody's.
 * <p>
 * Thread rule: {@link #start} and {@link #close} by one thread; the queues belong to the front's thread from then on. Counters
 * by any. Allocation-free once it runs.
 */
public final class CardFront implements AutoCloseable {
    /** Name of its thread, by which its CPU time is found. */
    public static final String THREAD = "rpc-front";
    /** Longest payload of a datagram on a card with ordinary frames. */
    public static final int MOST_PAYLOAD_BYTES = 1_472;

    private static final int BURST = 32;
    private static final int SPINS = 1_000;
    private static final long NAP_NANOS = 20_000;
    private static final int ROOM_TRIES = 100_000;
    private static final long CLOSE_MILLIS = 10_000;

    private final RxQueue from;
    private final TxQueue to;
    private final SteeredJobs jobs;
    private final RpcFront front;
    private final BypassFrames kernel;
    private final PacketBatch arrived = new PacketBatch(BURST);
    private final PacketBatch leaving = new PacketBatch(1);
    private final byte[] frame;
    private final MemorySegment frameMemory;
    private final Thread thread = OwnThread.of(THREAD, this::run);
    private volatile boolean stopping;
    private volatile @Nullable RuntimeException failure;

    /**
     * A front for these services.
     *
     * @param most requests that may be under way
     */
    public CardFront(RxQueue from, TxQueue to, NicAddress address, DirectCalls calls, SteeredJobs jobs, int most,
            int mostFrameBytes) {
        this.from = from;
        this.to = to;
        this.jobs = jobs;
        frame = new byte[mostFrameBytes];
        frameMemory = MemorySegment.ofArray(frame);
        kernel = new BypassFrames(address);
        front = new RpcFront(address, calls.rows(), new Out(), new Target(), most, MOST_PAYLOAD_BYTES);
    }

    /** Starts its thread. */
    public void start() {
        thread.start();
    }

    private void run() {
        IdleStrategy idle = IdleStrategy.spinThenPark(SPINS, NAP_NANOS);
        try {
            while (!stopping) {
                idle.idle(doWork());
            }
            jobs.close();
            while (front.underWay() > 0 && !Thread.currentThread().isInterrupted()) {
                jobs.tell();
                idle.idle(answers());
            }
        } catch (RuntimeException e) {
            failure = e;
        } finally {
            leaving.release();
        }
    }

    /** One round; returns frames and answers handled. */
    int doWork() {
        int count = answers() + requests();
        jobs.tell();
        return count;
    }

    private int requests() {
        PacketBatch packets = arrived;
        int count = from.poll(packets);
        if (count == 0) {
            return 0;
        }
        long now = System.nanoTime();
        for (int i = 0; i < packets.size(); i = packets.next(i)) {
            int length = packets.packetLength(i);
            if (length <= frame.length) {
                packets.copyPacket(i, frameMemory, 0);
                front.frame(frame, 0, length, now);
            } else {
                front.unusable();
            }
        }
        packets.release();
        to.commit(); // refusals
        return count;
    }

    private int answers() {
        int count = 0;
        for (int id = jobs.next(); count < BURST && id != SteeredJobs.NONE && hasRoom(); id = jobs.next()) {
            jobs.answer(front, id);
            count++;
        }
        if (count > 0) {
            to.commit();
        } else {
            to.reclaim();
        }
        return count;
    }

    private boolean hasRoom() {
        return !leaving.isEmpty() || to.allocate(leaving, 1) == 1;
    }

    /** A frame that has to go now: waits a little for the card, which may have to send others first. */
    private boolean awaitRoom() {
        for (int i = 0; i < ROOM_TRIES && !hasRoom(); i++) {
            to.commit();
            to.reclaim();
            Thread.onSpinWait();
        }
        return !leaving.isEmpty();
    }

    private final class Out implements WireEnd {
        @Override
        public boolean transmit(byte[] data, int offset, int lengthBytes) {
            if (!awaitRoom() || lengthBytes > to.bufferBytes()) {
                return false;
            }
            MemorySegment.copy(data, offset, leaving.memory().segment(), ValueLayout.JAVA_BYTE, leaving.offset(0),
                    lengthBytes);
            leaving.setLength(0, lengthBytes);
            int written = to.write(leaving);
            for (int i = 0; i < ROOM_TRIES && !leaving.isEmpty(); i++) { // a refused one is out of it
                to.commit();
                Thread.onSpinWait();
                written = to.write(leaving);
            }
            return written == 1;
        }

        @Override
        public int poll(FrameSink sink, int budget) {
            return 0;
        }
    }

    private final class Target implements RpcFront.Target {
        private final Out out = new Out();

        @Override
        public void request(int id) {
            jobs.put(front, id);
        }

        @Override
        public void bypass(byte[] data, int offset, int bytes) {
            int length = kernel.answer(data, bytes); // in place: the frame was copied
            if (length > 0) {
                out.transmit(data, 0, length);
            }
        }
    }

    /** Counters of the front. */
    public NicCounters counters() {
        return front.counters();
    }

    /** Why its thread ended, if it should not have. */
    public @Nullable RuntimeException failure() {
        return failure;
    }

    /** Takes no more frames; returns once every request has its answer, or after ten seconds. */
    @Override
    public void close() {
        stopping = true;
        try {
            thread.join(CLOSE_MILLIS);
            thread.interrupt();
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
