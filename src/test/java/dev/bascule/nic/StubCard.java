package dev.bascule.nic;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A card of one pair of queues whose wires are lists: it delivers packets in pieces, refuses by length or kind and has
 * little room, as a test wants.
 */
public final class StubCard implements Nic {
    /** What every buffer is filled with before its use. */
    private static final byte DIRT = (byte) 0xd1;
    private static final int BUFFER_BYTES = 2048;
    private static final int BUFFERS = 1024;

    public final List<byte[]> wire = new ArrayList<>();
    private final PacketPool pool = PacketPool.allocate("stub", BUFFERS, BUFFER_BYTES);
    private final ArrayDeque<byte[]> arriving = new ArrayDeque<>();
    private final ArrayDeque<byte[]> written = new ArrayDeque<>();
    private final Refusals refused = new Refusals();
    private final Rx rx = new Rx();
    private final Tx tx = new Tx();
    private int pieceBytes = BUFFER_BYTES;
    private int most = Integer.MAX_VALUE;
    private int longest = Integer.MAX_VALUE;
    private boolean ipv4Only;

    /** Delivers packets in pieces of so many bytes. */
    public StubCard pieces(int lengthBytes) {
        pieceBytes = lengthBytes;
        return this;
    }

    /** Has room for so many packets between two commits. */
    public StubCard room(int packets) {
        most = packets;
        return this;
    }

    /** Refuses longer packets, and if wanted those that are not IPv4. */
    public StubCard refusing(int longestBytes, boolean ipv4) {
        longest = longestBytes;
        ipv4Only = ipv4;
        return this;
    }

    /** Frames that come in, in order. */
    public void arrive(Collection<byte[]> frames) {
        arriving.addAll(frames);
    }

    public boolean isDrained() {
        return arriving.isEmpty();
    }

    public int freeBuffers() {
        return pool.buffers().available();
    }

    public int buffers() {
        return BUFFERS;
    }

    private final class Rx implements RxQueue {
        @Override
        public int index() {
            return 0;
        }

        @Override
        public int poll(PacketBatch batch) {
            PacketWriter.open(batch, pool);
            int count = 0;
            for (byte[] next = arriving.peek(); next != null; next = arriving.peek()) {
                int pieces = Math.max(1, (next.length + pieceBytes - 1) / pieceBytes);
                if (pieces > batch.room() || pieces > pool.buffers().available()) {
                    break;
                }
                deliver(batch, arriving.remove(), pieces);
                count++;
            }
            return count;
        }

        private void deliver(PacketBatch batch, byte[] frame, int pieces) {
            int first = batch.size();
            pool.take(batch, pieces);
            for (int i = 0; i < pieces; i++) {
                int part = Math.min(pieceBytes, frame.length - i * pieceBytes);
                pool.segment().asSlice(batch.offset(first + i), BUFFER_BYTES).fill(DIRT);
                MemorySegment.copy(frame, i * pieceBytes, pool.segment(), ValueLayout.JAVA_BYTE,
                        batch.offset(first + i), part);
                batch.setLength(first + i, part);
                batch.setMore(first + i, i + 1 < pieces);
            }
        }

        @Override
        public boolean await(long timeoutNanos) {
            return !arriving.isEmpty();
        }
    }

    private final class Tx implements TxQueue {
        @Override
        public int index() {
            return 0;
        }

        @Override
        public int allocate(PacketBatch batch, int count) {
            int got = pool.take(batch, count);
            for (int i = batch.size() - got; i < batch.size(); i++) {
                pool.segment().asSlice(batch.offset(i), BUFFER_BYTES).fill(DIRT);
            }
            return got;
        }

        @Override
        public int bufferBytes() {
            return BUFFER_BYTES;
        }

        @Override
        public int write(PacketBatch batch) {
            int taken = 0;
            while (!batch.isEmpty()) {
                byte[] frame = new byte[batch.packetLength(0)];
                batch.copyPacket(0, MemorySegment.ofArray(frame), 0);
                Refusal reason = reason(MemorySegment.ofArray(frame), 0, frame.length);
                if (frame.length != 0 && reason != null) {
                    refused.add(reason);
                } else if (frame.length != 0 && written.size() >= most) {
                    break;
                } else if (frame.length != 0) {
                    written.add(frame);
                    taken++;
                }
                batch.release(batch.next(0));
            }
            return taken;
        }

        @Override
        public Refusals refused() {
            return refused;
        }

        @Override
        public @Nullable Refusal refusal(MemorySegment memory, long offset, int lengthBytes) {
            return lengthBytes > BUFFER_BYTES ? Refusal.TOO_LONG : reason(memory, offset, lengthBytes);
        }

        private @Nullable Refusal reason(MemorySegment memory, long offset, int lengthBytes) {
            if (lengthBytes < 14) {
                return Refusal.TOO_SHORT;
            }
            boolean isIpv4 = memory.get(ValueLayout.JAVA_BYTE, offset + 12) == 8
                    && memory.get(ValueLayout.JAVA_BYTE, offset + 13) == 0;
            return lengthBytes > longest ? Refusal.TOO_LONG : ipv4Only && !isIpv4 ? Refusal.NOT_IPV4 : null;
        }

        @Override
        public int commit() {
            int count = written.size();
            wire.addAll(written);
            written.clear();
            return count;
        }

        @Override
        public int reclaim() {
            return 0;
        }

        @Override
        public int inFlight() {
            return written.size();
        }

        @Override
        public void onSent(@Nullable SentListener listener) {
            throw new UnsupportedOperationException();
        }
    }

    @Override
    public String name() {
        return "stub";
    }

    @Override
    public NicCapabilities capabilities() {
        return new NicCapabilities(1, 1, longest, 1, false, false, false, false, false, false);
    }

    @Override
    public int rxQueues() {
        return 1;
    }

    @Override
    public int txQueues() {
        return 1;
    }

    @Override
    public RxQueue rxQueue(int index) {
        Objects.checkIndex(index, 1);
        return rx;
    }

    @Override
    public TxQueue txQueue(int index) {
        Objects.checkIndex(index, 1);
        return tx;
    }

    @Override
    public void start() {}

    @Override
    public void stop() {}

    @Override
    public LinkState link() {
        return LinkState.of(true);
    }

    @Override
    public void check() {}

    @Override
    public int maxFrameBytes() {
        return longest;
    }

    @Override
    public void setMaxFrameBytes(int lengthBytes) {
        longest = lengthBytes;
    }

    @Override
    public SortedMap<String, Long> statistics() {
        SortedMap<String, Long> all = new TreeMap<>();
        refused.addTo(all, "tx");
        return all;
    }

    @Override
    public void close() {
        pool.close();
    }
}
