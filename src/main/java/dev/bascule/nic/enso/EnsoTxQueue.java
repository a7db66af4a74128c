package dev.bascule.nic.enso;

import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.PacketWriter;
import dev.bascule.nic.PacketFormat;
import dev.bascule.nic.PacketMemory;
import dev.bascule.nic.QueueCounters;
import dev.bascule.nic.Refusal;
import dev.bascule.nic.Refusals;
import dev.bascule.nic.TxQueue;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Packets into an Ensō NIC. Those of the receive queue of the same number leave from where they are, neighbours as one
 * request; those allocated here leave from the ring they were allocated in; others are copied. The device cuts packets
 * by their IPv4 length, so a packet for which that gives another length is refused.
 */
final class EnsoTxQueue implements TxQueue, PacketMemory {
    static final int MAX_FRAME_BYTES = 1518;
    private static final int SLOT_BYTES = 1536;

    private final int index;
    private final GroupDataPath io;
    private final EnsoRxQueue received;
    private final EnsoTxPipe allocations;
    private final EnsoTxPipe copies;
    private final QueueCounters counters = new QueueCounters();
    private final Refusals refused = new Refusals();
    private @Nullable SentListener listener;
    private long allocated;
    private long written;
    private long reported;
    private int uncommitted;
    private boolean posted;
    private long copiedBytes;

    EnsoTxQueue(EnsoGroup group, EnsoRxQueue received) {
        this.index = received.index();
        this.io = group.io();
        this.received = received;
        this.allocations = (EnsoTxPipe) group.openTx();
        this.copies = (EnsoTxPipe) group.openTx();
    }

    @Override
    public int index() {
        return index;
    }

    QueueCounters counters() {
        return counters;
    }

    /** Bytes of packets from other memory. */
    long copiedBytes() {
        return copiedBytes;
    }

    @Override
    public MemorySegment segment() {
        return allocations.memory();
    }

    @Override
    public int bufferBytes() {
        return SLOT_BYTES;
    }

    @Override
    public int allocate(PacketBatch batch, int count) {
        PacketWriter.open(batch, this);
        long ring = allocations.capacityBytes();
        int wanted = Math.min(count, batch.room());
        for (int i = 0; i < wanted; i++) {
            if (allocated + SLOT_BYTES - allocations.position() + allocations.pendingBytes() > ring) {
                reclaim();
                if (allocated + SLOT_BYTES - allocations.position() + allocations.pendingBytes() > ring) {
                    return i;
                }
            }
            PacketWriter.add(batch, allocated + SLOT_BYTES, allocated & ring - 1, SLOT_BYTES, 0);
            allocated += SLOT_BYTES;
        }
        return wanted;
    }

    /** Buffers allocated here and not sent. */
    @Override
    public void release(PacketBatch batch, int from, int to) {
        for (int i = from; i < to; i++) {
            allocations.skip(PacketWriter.token(batch, i) - allocations.position());
        }
    }

    @Override
    public int write(PacketBatch batch) {
        if (batch.isEmpty()) {
            return 0;
        }
        PacketMemory owner = batch.memory();
        int before = uncommitted;
        int taken = owner == received ? writeReceived(batch) : owner == this ? writeAllocated(batch) : copy(batch);
        PacketWriter.removeFirst(batch, taken);
        if (!batch.isEmpty()) {
            counters.add(QueueCounters.NO_ROOM, batch.packets());
        }
        return uncommitted - before;
    }

    /** Runs of neighbouring packets to send, one request for each. */
    private int writeReceived(PacketBatch batch) {
        MemorySegment memory = received.segment();
        int i = 0;
        while (i < batch.size()) {
            if (!sendable(batch, i, memory)) {
                i = dropped(batch, i);
                continue;
            }
            if (!io.hasRoom()) {
                return i;
            }
            int last = i;
            long run = PacketFormat.padded(batch.length(i));
            long bytes = batch.length(i);
            while (last + 1 < batch.size() && batch.offset(last + 1) == batch.offset(i) + run
                    && refusal(batch, last + 1, memory) == null
                    && run + PacketFormat.padded(batch.length(last + 1)) <= PacketCuts.LARGEST_REQUEST) {
                last++;
                run += PacketFormat.padded(batch.length(last));
                bytes += batch.length(last);
            }
            for (int k = i; k <= last; k++) {
                insertChecksum(batch, k);
            }
            received.pipe().post(run);
            long gap = PacketWriter.token(batch, last) - received.doneWith();
            if (gap > 0) {
                received.pipe().free(gap);
            }
            count(last + 1 - i, bytes);
            i = last + 1;
        }
        return i;
    }

    private int writeAllocated(PacketBatch batch) {
        MemorySegment memory = allocations.memory();
        int i = 0;
        while (i < batch.size()) {
            if (!sendable(batch, i, memory)) {
                i = dropped(batch, i);
                continue;
            }
            if (!io.hasRoom()) {
                return i;
            }
            insertChecksum(batch, i);
            allocations.post(PacketFormat.padded(batch.length(i)));
            allocations.skip(PacketWriter.token(batch, i) - allocations.position());
            count(1, batch.length(i));
            i++;
        }
        return i;
    }

    /** Gives the packet at entry {@code i} back; says where the next one begins. */
    private static int dropped(PacketBatch batch, int i) {
        int next = batch.next(i);
        batch.memory().release(batch, i, next);
        return next;
    }

    /** Packets of other memory, of which one in pieces is put together. */
    private int copy(PacketBatch batch) {
        int i = 0;
        while (i < batch.size()) {
            int length = batch.packetLength(i);
            if (length != 0) {
                if (!io.hasRoom() || copies.available() < PacketFormat.padded(Math.min(length, MAX_FRAME_BYTES))) {
                    break;
                }
                post(batch, i, length);
            }
            i = batch.next(i);
        }
        batch.memory().release(batch, 0, i);
        return i;
    }

    private void post(PacketBatch batch, int i, int length) {
        insertChecksum(batch, i);
        if (length <= MAX_FRAME_BYTES) {
            batch.copyPacket(i, copies.memory(), copies.offset());
        }
        Refusal reason = refusal(copies.memory(), copies.offset(), length);
        if (reason != null) {
            refused.add(reason);
            return;
        }
        copiedBytes += length;
        copies.post(PacketFormat.padded(length));
        count(1, length);
    }

    /** Here, because the card inserts none; there is room for the packet, so this happens once. */
    private static void insertChecksum(PacketBatch batch, int i) {
        if ((batch.flags(i) & PacketBatch.INSERT_CHECKSUM) != 0) {
            PacketWriter.insertChecksum(batch, i);
        }
    }

    /** Whether the packet at entry {@code i} can leave from where it lies; counts it if not, unless it is of length 0. */
    private boolean sendable(PacketBatch batch, int i, MemorySegment memory) {
        if (batch.packetLength(i) == 0) {
            return false;
        }
        Refusal reason = refusal(batch, i, memory);
        if (reason != null) {
            refused.add(reason);
        }
        return reason == null;
    }

    private static @Nullable Refusal refusal(PacketBatch batch, int i, MemorySegment memory) {
        return batch.hasMore(i)
                ? Refusal.TOO_MANY_PIECES
                : refusalOf(memory, batch.offset(i), batch.length(i));
    }

    private static @Nullable Refusal refusalOf(MemorySegment memory, long offset, int length) {
        if (length < PacketFormat.ETHERNET_BYTES) {
            return Refusal.TOO_SHORT;
        }
        if (length > MAX_FRAME_BYTES) {
            return Refusal.TOO_LONG;
        }
        return PacketCuts.isWhole(memory, offset, length) ? null : Refusal.NOT_IPV4;
    }

    @Override
    public @Nullable Refusal refusal(MemorySegment memory, long offset, int lengthBytes) {
        return refusalOf(memory, offset, lengthBytes);
    }

    @Override
    public Refusals refused() {
        return refused;
    }

    private void count(int packets, long bytes) {
        io.notifications.requests.countPackets(io.notifications.requests.newest(), packets);
        posted = true;
        uncommitted += packets;
        written += packets;
        counters.add(QueueCounters.PACKETS, packets);
        counters.add(QueueCounters.BYTES, bytes);
    }

    @Override
    public int commit() {
        int packets = uncommitted;
        if (posted) {
            posted = false;
            uncommitted = 0;
            io.commit();
            counters.add(QueueCounters.DOORBELLS, 1);
        }
        return packets;
    }

    @Override
    public int reclaim() {
        long before = io.notifications.requests.packetsRead();
        io.poll();
        long now = io.notifications.requests.packetsRead();
        SentListener to = listener;
        for (; to != null && reported < now; reported++) {
            to.sent(reported, PacketBatch.NO_TIMESTAMP);
        }
        return (int) (now - before);
    }

    @Override
    public int inFlight() {
        return (int) (written - io.notifications.requests.packetsRead());
    }

    @Override
    public void onSent(@Nullable SentListener newListener) {
        listener = newListener;
        reported = io.notifications.requests.packetsRead();
    }
}
