package dev.bascule.nic.corundum;

import dev.bascule.nic.Nic;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.RxQueue;
import dev.bascule.nic.TxQueue;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Frames through queues, for tests: copies, allocates, and never gives up before ten seconds are over. */
final class Traffic {
    private static final long PATIENCE_NANOS = 10_000_000_000L;

    private final Rig rig;

    Traffic(Rig rig) {
        this.rig = rig;
    }

    static byte[] frame(int lengthBytes, long seed) {
        byte[] frame = new byte[lengthBytes];
        new Random(seed * 65537 + lengthBytes).nextBytes(frame);
        return frame;
    }

    /** An untagged UDP packet of a flow. */
    static byte[] udp(int lengthBytes, int sourcePort) {
        byte[] frame = frame(lengthBytes, sourcePort);
        frame[12] = 8;
        frame[13] = 0;
        frame[14] = 0x45;
        frame[23] = 17;
        for (int i = 26; i < 34; i++) {
            frame[i] = (byte) i;
        }
        frame[34] = (byte) (sourcePort >> 8);
        frame[35] = (byte) sourcePort;
        return frame;
    }

    /** Sends each frame as one packet, waiting for room. */
    void send(TxQueue queue, byte[]... frames) {
        PacketBatch batch = new PacketBatch(16);
        for (byte[] frame : frames) {
            load(queue, batch, frame);
            await(() -> {
                queue.write(batch);
                queue.commit();
                return batch.isEmpty();
            }, "room in the transmit ring");
        }
    }

    /** Puts a frame into buffers of the queue; several where one does not hold it. */
    void load(TxQueue queue, PacketBatch batch, byte[] frame) {
        int size = queue.bufferBytes();
        int parts = Math.max(1, (frame.length + size - 1) / size);
        await(() -> queue.allocate(batch, parts - batch.size()) >= 0 && batch.size() == parts, "transmit buffers");
        MemorySegment memory = batch.memory().segment();
        for (int i = 0; i < parts; i++) {
            int from = i * size;
            int length = Math.min(size, frame.length - from);
            MemorySegment.copy(MemorySegment.ofArray(frame), from, memory, batch.offset(i), length);
            batch.setLength(i, length);
            batch.setMore(i, i + 1 < parts);
        }
    }

    /** Waits for so many packets on one queue. */
    List<byte[]> receive(RxQueue queue, int packets) {
        PacketBatch batch = new PacketBatch(64);
        List<byte[]> frames = new ArrayList<>();
        await(() -> {
            queue.poll(batch);
            drain(batch, frames);
            return frames.size() >= packets;
        }, packets + " packets");
        return frames;
    }

    /** Waits for one frame and lets others before it pass. */
    void receiveUntil(RxQueue queue, byte[] frame) {
        PacketBatch batch = new PacketBatch(64);
        List<byte[]> frames = new ArrayList<>();
        await(() -> {
            queue.poll(batch);
            drain(batch, frames);
            return frames.stream().anyMatch(one -> Arrays.equals(one, frame));
        }, "a frame of " + frame.length + " bytes");
    }

    /** What has arrived by now. */
    List<byte[]> pending(RxQueue queue) {
        PacketBatch batch = new PacketBatch(64);
        List<byte[]> frames = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            rig.work();
            queue.poll(batch);
            drain(batch, frames);
        }
        return frames;
    }

    private static void drain(PacketBatch batch, List<byte[]> frames) {
        ByteArrayOutputStream open = new ByteArrayOutputStream();
        for (int i = 0; i < batch.size(); i++) {
            open.writeBytes(bytes(batch, i));
            if (!batch.hasMore(i)) {
                frames.add(open.toByteArray());
                open.reset();
            }
        }
        batch.release();
    }

    static byte[] bytes(PacketBatch batch, int i) {
        return batch.memory().segment().asSlice(batch.offset(i), batch.length(i)).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Waits for packets in {@code batch}, which keeps them. */
    void fill(RxQueue queue, PacketBatch batch, int entries) {
        await(() -> {
            queue.poll(batch);
            return batch.size() >= entries;
        }, entries + " packets");
    }

    interface Condition {
        boolean holds();
    }

    void await(Condition condition, String what) {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.holds()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("waited in vain for " + what);
            }
            rig.work();
        }
    }

    /** Waits until everything written was sent. */
    void flush(Nic nic) {
        for (int i = 0; i < nic.txQueues(); i++) {
            TxQueue queue = nic.txQueue(i);
            await(() -> {
                queue.reclaim();
                return queue.inFlight() == 0;
            }, "transmit completions");
        }
    }
}
