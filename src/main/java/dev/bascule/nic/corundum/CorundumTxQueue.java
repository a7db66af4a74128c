package dev.bascule.nic.corundum;

import static dev.bascule.nic.QueueCounters.*;
import static dev.bascule.nic.corundum.MqnicFormats.*;

import dev.bascule.device.AddressSpace;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.PacketWriter;
import dev.bascule.nic.PacketPool;
import dev.bascule.nic.TxOwners;
import dev.bascule.nic.QueueCounters;
import dev.bascule.nic.Refusal;
import dev.bascule.nic.Refusals;
import dev.bascule.nic.TimestampUnit;
import dev.bascule.nic.TxQueue;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Transmit queue: a ring of descriptor blocks, a ring of completions that normally come in its order. */
final class CorundumTxQueue implements TxQueue {
    /** A packet without a byte would stop the hardware until a reset, and this is no Ethernet frame either. */
    private static final int SHORTEST_FRAME = 14;
    private static final int RECLAIM_AT = 32;

    final QueueCounters counters = new QueueCounters();
    final RareCounts rare = new RareCounts();
    private final Refusals refused = new Refusals();
    private final int index;
    private final DescriptorRing ring;
    private final CompletionRing completions;
    private final PacketPool pool;
    private final TxOwners owners;
    private final int fragments;
    private final boolean checksums;
    private final @Nullable TimestampUnit timestamps;
    private @Nullable SentListener listener;
    /** Packets written, ever. */
    private long written;
    private int longestFrame;
    private long burstBytes;

    /**
     * @param pool the queue's own buffers
     * @param checksums whether the card inserts them
     */
    CorundumTxQueue(int index, DescriptorRing ring, CompletionRing completions, PacketPool pool, AddressSpace space,
            boolean checksums, @Nullable TimestampUnit timestamps) {
        this.index = index;
        this.ring = ring;
        this.completions = completions;
        this.pool = pool;
        this.owners = new TxOwners(space, pool);
        this.fragments = ring.fragments();
        this.checksums = checksums;
        this.timestamps = timestamps;
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public int bufferBytes() {
        return pool.buffers().bufferBytes();
    }

    void setLongestFrame(int lengthBytes) {
        longestFrame = lengthBytes;
    }

    void start() {
        completions.start();
        ring.start();
        ring.enable();
    }

    /** Has the device fetch no more. */
    void disable() {
        ring.disable();
    }

    /** Takes what a disabled queue still completes; whether that was all. */
    boolean settle() {
        while (ring.isHealthy() && completions.isReady()) {
            completeAny();
        }
        return ring.isSettled();
    }

    /** Takes all buffers back; the device is out of them or gone. */
    void stop() {
        try {
            completions.disable();
        } finally {
            ring.stop(owners::give);
        }
    }

    void close() {
        owners.close();
    }

    @Override
    public int allocate(PacketBatch batch, int count) {
        if (pool.buffers().available() < count) {
            reclaim();
        }
        return pool.take(batch, count);
    }

    @Override
    public int write(PacketBatch batch) {
        ring.requireHealthy();
        if (batch.isEmpty()) {
            return 0;
        }
        if (ring.inFlight() >= RECLAIM_AT) {
            reclaim();
        }
        if (!owners.select(batch.memory())) {
            return writeCopies(batch);
        }
        int before = ring.inFlight();
        burstBytes = 0;
        int i = 0;
        while (i < batch.size()) {
            int taken = fragments == 1 ? writeSingles(batch, i) : 0;
            if (taken == 0 && (taken = writeAny(batch, i)) == 0) {
                break;
            }
            i += taken;
        }
        PacketWriter.removeFirst(batch, i);
        return account(ring.inFlight() - before);
    }

    /** The usual case in a loop of its own: one entry each, of a good length. Stops at what is different; says after how many. */
    private int writeSingles(PacketBatch batch, int from) {
        int slot = ring.tailSlot();
        int count = Math.min(batch.size() - from, ring.roomAhead());
        int spread = longestFrame - SHORTEST_FRAME;
        long iova = owners.iova();
        long end = owners.sizeBytes();
        int owner = owners.number();
        long bytes = 0;
        int i = 0;
        for (; i < count; i++) {
            int lengthBytes = batch.length(from + i);
            long offset = batch.offset(from + i);
            int flags = batch.flags(from + i);
            if (Integer.compareUnsigned(lengthBytes - SHORTEST_FRAME, spread) > 0 || offset + lengthBytes > end) {
                break;
            }
            long word = (long) lengthBytes << 8 * DESCRIPTOR_LENGTH;
            if ((flags & (PacketBatch.MORE | PacketBatch.INSERT_CHECKSUM)) != 0) { // one look for what is rare
                if ((flags & PacketBatch.MORE) != 0) {
                    break;
                }
                word |= request(batch, from + i);
            }
            ring.put(slot + i, word, iova + offset, owner | (int) PacketWriter.token(batch, from + i));
            bytes += lengthBytes;
        }
        ring.push(i);
        burstBytes += bytes;
        return i;
    }

    /** Any packet: of several entries, dropped, or one the hardware cannot bear. Entries taken, 0 if the ring is full. */
    private int writeAny(PacketBatch batch, int i) {
        int next = batch.next(i);
        int lengthBytes = batch.packetLength(i);
        Refusal reason = next - i > fragments ? Refusal.TOO_MANY_PIECES : refusal(lengthBytes);
        if (lengthBytes == 0 || reason != null) {
            drop(batch, i, next, lengthBytes == 0 ? null : reason);
            return next - i;
        }
        if (ring.room() == 0) {
            counters.add(NO_ROOM, 1);
            return 0;
        }
        describe(batch, i, next - i);
        ring.push(1);
        burstBytes += lengthBytes;
        return next - i;
    }

    /** @param reason null if the caller wants it dropped */
    private void drop(PacketBatch batch, int from, int to, @Nullable Refusal reason) {
        if (reason != null) {
            refused.add(reason);
        }
        batch.memory().release(batch, from, to);
    }

    private @Nullable Refusal refusal(int lengthBytes) {
        return Refusal.ofLength(lengthBytes, SHORTEST_FRAME, longestFrame);
    }

    @Override
    public @Nullable Refusal refusal(MemorySegment memory, long offset, int lengthBytes) {
        return lengthBytes > bufferBytes() ? Refusal.TOO_LONG : refusal(lengthBytes);
    }

    @Override
    public Refusals refused() {
        return refused;
    }

    private int account(int packets) {
        written += packets;
        counters.add(PACKETS, packets);
        counters.add(BYTES, burstBytes);
        return packets;
    }

    private void describe(PacketBatch batch, int first, int entries) {
        int slot = ring.tailSlot();
        for (int i = 0; i < fragments; i++) {
            if (i >= entries) {
                ring.put(slot + i, 0, 0, DescriptorRing.NONE);
                continue;
            }
            int entry = first + i;
            int lengthBytes = batch.length(entry);
            long address = owners.iova(batch.offset(entry), lengthBytes);
            long word = (long) lengthBytes << 8 * DESCRIPTOR_LENGTH | (i == 0 ? request(batch, entry) : 0);
            ring.put(slot + i, word, address, owners.slot((int) PacketWriter.token(batch, entry)));
        }
    }

    private long request(PacketBatch batch, int entry) {
        if ((batch.flags(entry) & PacketBatch.INSERT_CHECKSUM) == 0) {
            return 0;
        }
        if (!checksums) {
            PacketWriter.insertChecksum(batch, entry); // there is room for the packet, so this happens once
            return 0;
        }
        return (long) (TX_CHECKSUM_ENABLE | PacketWriter.checksumRequest(batch, entry)) << 8 * DESCRIPTOR_TX_CHECKSUM;
    }

    /** Packets in memory the device cannot reach: into buffers of the queue's own, one each, as many as the ring has room for. */
    private int writeCopies(PacketBatch batch) {
        PacketBatch copies = owners.copies(batch.size());
        int i = 0;
        while (i < batch.size()) {
            int next = batch.next(i);
            int lengthBytes = batch.packetLength(i);
            Refusal reason = refusal(batch.memory().segment(), batch.offset(i), lengthBytes);
            if (lengthBytes != 0 && reason != null) {
                refused.add(reason);
            } else if (lengthBytes != 0 && !copy(batch, i, copies)) {
                counters.add(NO_ROOM, 1);
                break;
            }
            i = next;
        }
        batch.release(i);
        return write(copies);
    }

    private boolean copy(PacketBatch batch, int i, PacketBatch copies) {
        int at = copies.size();
        if (at >= ring.room() || pool.take(copies, 1) == 0) {
            return false;
        }
        copies.setLength(at, batch.copyPacket(i, pool.segment(), copies.offset(at)));
        PacketWriter.copyRequest(copies, at, batch, i);
        return true;
    }

    @Override
    public int commit() {
        int count = ring.commit();
        if (count != 0) {
            counters.add(DOORBELLS, 1);
        }
        return count;
    }

    @Override
    public int reclaim() {
        ring.requireHealthy();
        int ready = completions.ready(ring.inFlight() + 1); // one more than can be right, to notice it
        if (ready == 0) {
            return 0;
        }
        if (timestamps != null && listener != null) {
            timestamps.refresh();
        }
        int done = 0;
        while (done < ready) {
            int quick = fragments == 1 && listener == null ? inOrder(ready - done) : 0;
            if (quick == 0 && !completeAny()) {
                break;
            }
            done += Math.max(quick, 1);
        }
        if (completions.acknowledgeSome() != 0) {
            counters.add(DOORBELLS, 1);
        }
        ring.requireHealthy();
        return done;
    }

    /** The usual case: packets of one owner sent in order. Stops at what is different, or at the end of the ring. */
    private int inOrder(int ready) {
        int slot = ring.headSlot();
        int known = ring.buffer(slot);
        int most = Math.min(ready, ring.committedAhead());
        if (known == DescriptorRing.NONE || most <= 0) {
            return 0;
        }
        int expected = ring.expected();
        int i = 0;
        while (i < most && (int) completions.word(i, 0) == expected + (i << 16)
                && TxOwners.isSame(ring.buffer(slot + i), known)) { // and so not NONE
            i++;
        }
        ring.pop(i, owners.pool(known).buffers(), TxOwners.BUFFER_MASK);
        completions.advance(i);
        return i;
    }

    /** Any completion: out of order, of several buffers, to be reported. False if it stopped the queue. */
    private boolean completeAny() {
        long word = completions.word(0, 0);
        int slot = ring.complete(word);
        if (slot == DescriptorRing.STALE) {
            rare.addStale();
            completions.advance(1);
            return true;
        }
        if (slot < 0) {
            return false;
        }
        if (listener != null) {
            report(listener, (int) (word >>> 8 * COMPLETION_INDEX), completions.word(0, COMPLETION_NANOS));
        }
        completions.advance(1);
        for (int i = slot; i < slot + fragments && ring.buffer(i) != DescriptorRing.NONE; i++) {
            owners.give(ring.take(i));
        }
        return true;
    }

    private void report(SentListener to, int at, long time) {
        to.sent(written - ring.distance(at),
                timestamps == null
                        ? PacketBatch.NO_TIMESTAMP
                        : timestamps.extend(time & 0xFFFFFFFFL, (int) (time >>> 32)));
    }

    @Override
    public int inFlight() {
        return ring.inFlight();
    }

    @Override
    public void onSent(@Nullable SentListener to) {
        listener = to;
    }
}
