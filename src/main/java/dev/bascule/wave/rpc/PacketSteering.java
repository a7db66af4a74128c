package dev.bascule.wave.rpc;

import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.RxQueue;
import dev.bascule.nic.TxQueue;

/**
 * A {@link SteeringAgent} on a packet queue: requests come from an {@link RxQueue}, answers leave by a {@link TxQueue}.
 * A request that no core can take is dropped, as by a full queue of a card. Packets in several pieces are dropped too.
 * <p>
 * Thread rule: the thread of both queues. Allocates nothing after construction.
 */
public final class PacketSteering {
    private final RxQueue from;
    private final TxQueue to;
    private final SteeringAgent agent;
    private final PacketBatch arrived;
    private final PacketBatch leaving = new PacketBatch(1);
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
        boolean piece = false;
        for (int i = 0; i < count; i++) {
            boolean whole = !piece && !packets.hasMore(i);
            piece = packets.hasMore(i);
            if (!whole || !steer(packets, i)) {
                dropped++;
            }
        }
        agent.commit();
        packets.release();
        return count;
    }

    private boolean steer(PacketBatch packets, int i) {
        int flow = (packets.flags(i) & PacketBatch.HAS_HASH) != 0
                ? packets.hash(i)
                : FrameFlow.hash(packets.memory().segment(), packets.offset(i), packets.length(i));
        return agent.steer(flow, packets.memory().segment(), packets.offset(i), packets.length(i));
    }

    private int answers() {
        int count = 0;
        while (count < burst && (!leaving.isEmpty() || to.allocate(leaving, 1) == 1)) {
            int length = agent.answer(leaving.memory().segment(), leaving.offset(0), to.bufferBytes());
            if (length == 0) {
                break; // the buffer stays for the next answer
            }
            leaving.setLength(0, length);
            to.write(leaving);
            if (!leaving.isEmpty()) {
                leaving.setLength(0, to.bufferBytes());
                dropped++; // no room in the card
                break;
            }
            count++;
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
