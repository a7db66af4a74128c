package dev.bascule.wave.rpc;

import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.RxQueue;
import dev.bascule.nic.TxQueue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A {@link SteeringAgent} on a packet queue: requests come from an {@link RxQueue}, answers leave by a {@link TxQueue}.
 * A request that no core can take is dropped, as by a full queue of a card. One in pieces is put together first.
 * <p>
 * Thread rule: the thread of both queues. Allocates nothing after construction.
 */
public final class PacketSteering {
    private static final int LARGEST = 1 << 16;

    private final RxQueue from;
    private final TxQueue to;
    private final FrameFlow flows = new FrameFlow();
    private final SteeringAgent agent;
    private final PacketBatch arrived;
    private final PacketBatch leaving = new PacketBatch(1);
    private final MemorySegment whole = Arena.ofAuto().allocate(LARGEST, Long.BYTES);
    private final int burst;
    private long dropped;
    private long answered;

    /** @param burst most requests, and most answers, per {@link #doWork} */
    public PacketSteering(RxQueue from, TxQueue to, SteeringAgent agent, int burst) {
        this.from = from;
        this.to = to;
        this.agent = agent;
        this.burst = burst;
        arrived = new PacketBatch(burst);
    }

    /** One round. Returns requests and answers handled, 0 when idle. */
    public int doWork() {
        return answers() + requests();
    }

    private int requests() {
        PacketBatch packets = arrived;
        int count = from.poll(packets);
        if (count == 0) {
            return 0;
        }
        for (int i = 0; i < packets.size(); i = packets.next(i)) {
            if (!steer(packets, i)) {
                dropped++;
            }
        }
        agent.commit();
        packets.release();
        return count;
    }

    private boolean steer(PacketBatch packets, int i) {
        MemorySegment memory = packets.memory().segment();
        long at = packets.offset(i);
        int length = packets.packetLength(i);
        if (packets.hasMore(i)) {
            if (length > whole.byteSize()) {
                return false; // more than any card delivers
            }
            packets.copyPacket(i, whole, 0);
            memory = whole;
            at = 0;
        }
        int flow = (packets.flags(i) & PacketBatch.HAS_HASH) != 0
                ? packets.hash(i)
                : flows.hash(memory, at, length);
        return agent.steer(flow, memory, at, length);
    }

    private int answers() {
        int count = 0;
        while (count < burst && (!leaving.isEmpty() || to.allocate(leaving, 1) == 1)) {
            int length = agent.answer(leaving.memory().segment(), leaving.offset(0), to.bufferBytes());
            if (length == 0) {
                break; // the buffer stays for the next answer
            }
            leaving.setLength(0, length);
            int written = to.write(leaving);
            dropped += 1 - written; // no room in the card, or refused by it
            count += written;
            if (!leaving.isEmpty()) {
                leaving.setLength(0, to.bufferBytes());
                break;
            }
        }
        if (count > 0) {
            to.commit();
            answered += count;
        } else {
            to.reclaim();
        }
        return count;
    }

    /** Gives the buffer back that it keeps for the next answer. To be called once, at the end. */
    public void close() {
        leaving.release();
    }

    /** Requests and answers dropped. */
    public long dropped() {
        return dropped;
    }

    /** Answers sent. */
    public long answered() {
        return answered;
    }
}
