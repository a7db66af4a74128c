package dev.bascule.model;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** Cables between ports: a plug that loops back, a cable between two ports, one between two processes. */
public final class Cables {
    /** Data bytes of each direction. */
    static final int RING_BYTES = 1 << 20;
    private static final int FILE_BYTES = 2 * (FrameRing.HEADER_BYTES + RING_BYTES);

    private Cables() {}

    private record Pair(FrameRing out, FrameRing in, Arena arena) implements WireEnd {
        @Override
        public boolean transmit(byte[] data, int offset, int lengthBytes) {
            return out.offer(data, offset, lengthBytes);
        }

        @Override
        public int poll(FrameSink sink, int budget) {
            return in.poll(sink, budget);
        }

        @Override
        public void close() {
            if (arena.scope().isAlive() && arena != Arena.global()) {
                arena.close();
            }
        }
    }

    private static FrameRing ring() {
        return new FrameRing(Arena.ofAuto().allocate(FrameRing.HEADER_BYTES + RING_BYTES, 64));
    }

    /** Every frame sent comes back. */
    public static WireEnd loopback() {
        FrameRing ring = ring();
        return new Pair(ring, ring, Arena.global());
    }

    /** Two ends in this process; each may be used by a thread of its own. */
    public static List<WireEnd> cross() {
        FrameRing one = ring();
        FrameRing other = ring();
        return List.of(new Pair(one, other, Arena.global()), new Pair(other, one, Arena.global()));
    }

    /**
     * One end of a cable to another process; the file holds the frames on their way and is created if it does not exist.
     *
     * @param file on a memory file system, such as /dev/shm
     * @param first which of the two ends this is; the other process takes the other one
     * @throws IOException if the file cannot be opened or mapped
     */
    public static WireEnd shared(Path file, boolean first) throws IOException {
        Arena arena = Arena.ofShared();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            long found = channel.size();
            if (found != 0 && found != FILE_BYTES) {
                throw new IOException(file + " has " + found + " bytes; a cable has " + FILE_BYTES
                        + ". Remove it or choose another name.");
            }
            MemorySegment memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, FILE_BYTES, arena);
            FrameRing one = new FrameRing(memory.asSlice(0, FILE_BYTES / 2));
            FrameRing other = new FrameRing(memory.asSlice(FILE_BYTES / 2, FILE_BYTES / 2));
            return first ? new Pair(one, other, arena) : new Pair(other, one, arena);
        } catch (IOException | RuntimeException e) {
            arena.close();
            throw e;
        }
    }
}
