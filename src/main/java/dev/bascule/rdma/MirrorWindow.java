package dev.bascule.rdma;

import dev.bascule.memory.MemoryType;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.memory.Window;

/**
 * A part of one side's copy of a mirrored region, for one thread: loads are local, stores are local at once and leave for
 * the peers at the next fence of any window of this thread. Allocation-free.
 * <p>
 * Both ends of a transport store some words again every millisecond, in case a link has lost them. A reliable connection
 * loses nothing, and such stores would fill its queue: in memory whose words one thread each stores, one that changes
 * nothing leaves only now and then, which also tells whether the connection still works.
 */
final class MirrorWindow extends Window {
    private final PinnedWindow local;
    private final MirrorWriter writer;
    private final long start;
    private final long mirroredBytes;
    private final boolean holdsBack;

    /**
     * @param mirroredBytes from the window's start; what lies behind stays here
     * @param holdsBack whether a store that changes nothing leaves only now and then
     */
    MirrorWindow(PinnedMemory memory, MirrorWriter writer, long start, long mirroredBytes, boolean holdsBack) {
        super(memory.sizeBytes(), MemoryType.WC);
        local = new PinnedWindow(memory);
        this.writer = writer;
        this.start = start;
        this.mirroredBytes = mirroredBytes;
        this.holdsBack = holdsBack;
    }

    @Override
    public long loadAcquire(long offset) {
        return local.loadAcquire(offset);
    }

    @Override
    public void storeRelease(long offset, long value) {
        boolean isRepeated = holdsBack && local.loadAcquire(offset) == value;
        local.storeRelease(offset, value);
        stored(offset, Long.BYTES, isRepeated);
    }

    @Override
    public void loadLine(long offset, long[] into, int at) {
        local.loadLine(offset, into, at);
    }

    @Override
    public void storeLine(long offset, long[] from, int at) {
        boolean isRepeated = holdsBack && holds(offset, from, at);
        local.storeLine(offset, from, at);
        stored(offset, LINE_BYTES, isRepeated);
    }

    private boolean holds(long offset, long[] words, int at) {
        for (int i = 0; i < LINE_BYTES / Long.BYTES; i++) {
            if (local.loadAcquire(offset + (long) i * Long.BYTES) != words[at + i]) {
                return false;
            }
        }
        return true;
    }

    private void stored(long offset, int bytes, boolean isRepeated) {
        if (offset < mirroredBytes && (!isRepeated || writer.mayRepeat())) {
            writer.stored(start + offset, bytes);
        }
    }

    @Override
    public void writeFence() {
        writer.fence();
    }

    @Override
    public boolean isBehind(long offset, int writerAtPeer) {
        return offset < mirroredBytes && writer.isBehind(start + offset, writerAtPeer);
    }
}
