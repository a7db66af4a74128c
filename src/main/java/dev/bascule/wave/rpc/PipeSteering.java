package dev.bascule.wave.rpc;

import dev.bascule.nic.PacketFormat;
import dev.bascule.nic.RxPipe;
import dev.bascule.nic.TxPipe;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A {@link SteeringAgent} on pipes: requests are the packets of an {@link RxPipe}, answers are written into a
 * {@link TxPipe}. A request that no core can take stays in its pipe until one can; then the card drops, not the agent.
 * <p>
 * Thread rule: the thread of both pipes. Allocates nothing after construction.
 */
public final class PipeSteering {
    private final RxPipe from;
    private final TxPipe to;
    private final FrameFlow flows = new FrameFlow();
    private final SteeringAgent agent;
    private final int mostBytes;
    private final int burst;
    private long malformed;
    private long answered;

    /**
     * A loop over two pipes.
     *
     * @param mostBytes longest answer, a multiple of the quantum
     * @param burst most requests, and most answers, per {@link #doWork}
     */
    public PipeSteering(RxPipe from, TxPipe to, SteeringAgent agent, int mostBytes, int burst) {
        this.from = from;
        this.to = to;
        this.agent = agent;
        this.mostBytes = mostBytes;
        this.burst = burst;
    }

    /** One round. Returns requests and answers handled, 0 when idle. */
    public int doWork() {
        return answers() + requests();
    }

    private int requests() {
        long available = from.peek();
        MemorySegment memory = from.memory();
        long start = from.offset();
        long end = start + available;
        long at = start;
        int count = 0;
        while (at < end && count < burst) {
            int length = PacketFormat.packetBytes(memory, at, end - at);
            long next = PacketFormat.next(memory, at, length, end);
            if (next < 0) {
                malformed++;
                at = ~next;
                continue;
            }
            if (!agent.steer(flows.hash(memory, at, length), memory, at, length)) {
                break;
            }
            at = next;
            count++;
        }
        long done = at - start;
        if (done > 0) {
            agent.commit();
            from.confirm(done);
            from.free(done);
        }
        return count;
    }

    private int answers() {
        int count = 0;
        while (count < burst && to.available() >= mostBytes) {
            int length = agent.answer(to.memory(), to.offset(), mostBytes);
            if (length == 0) {
                break;
            }
            long padded = PacketFormat.padded(length);
            for (long i = length; i < padded; i++) {
                to.memory().set(ValueLayout.JAVA_BYTE, to.offset() + i, (byte) 0);
            }
            if (to.send(padded) < padded) {
                break; // no room for requests to the device: this answer is lost, as on a full queue
            }
            count++;
        }
        answered += count;
        return count;
    }

    /** Places where no packet was, up to the next that could be found. */
    public long malformed() {
        return malformed;
    }

    /** Answers sent. */
    public long answered() {
        return answered;
    }
}
