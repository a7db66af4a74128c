package dev.bascule.app;

import dev.bascule.nic.Nic;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.RxQueue;
import dev.bascule.nic.TxQueue;

/**
 * Forwards on layer 2: what comes in at one port goes out at the other, both ways, without a copy. Bursts in the style of
 * DPDK and ixy: poll, write, commit. Start reading here.
 */
public final class Forwarder {
    private final RxQueue[] in;
    private final TxQueue[] out;
    private final PacketBatch batch;
    private long packets;
    private long noRoom;

    /** Between two started ports; given the same port twice, it sends packets back. Uses queue 0 of each. */
    public Forwarder(Nic left, Nic right, int burst) {
        this(left, right, 0, burst);
    }

    /** Forwarder for queue {@code queue} of each port: one forwarder a queue, each on a thread of its own. */
    public Forwarder(Nic left, Nic right, int queue, int burst) {
        in = left == right
                ? new RxQueue[] { left.rxQueue(queue) }
                : new RxQueue[] { left.rxQueue(queue), right.rxQueue(queue) };
        out = left == right
                ? new TxQueue[] { left.txQueue(queue) }
                : new TxQueue[] { right.txQueue(queue), left.txQueue(queue) };
        batch = new PacketBatch(burst);
    }

    /** One round over both directions; returns how many packets came, 0 when idle. One thread; allocates nothing. */
    public int run() {
        int done = 0;
        for (int i = 0; i < in.length; i++) {
            int count = in[i].poll(batch);
            if (count == 0) {
                out[i].reclaim(); // else the last packets of a burst would keep their buffers
                continue;
            }
            out[i].write(batch);
            if (!batch.isEmpty()) { // the way out is full: drop, so that the way in never stops
                noRoom += batch.packets();
                batch.release();
            }
            out[i].commit();
            done += count;
        }
        packets += done;
        return done;
    }

    /** Packets that came in. */
    public long packets() {
        return packets;
    }

    /** Packets dropped because the transmit side was full. */
    public long noRoom() {
        return noRoom;
    }
}
