package dev.bascule.model.parts;

/**
 * Device with registers of 32 bits in BAR 0, and ports that frames arrive at. Register accesses take effect at once,
 * frames move in {@link #work}. Nothing that a driver or a wire does makes it throw or loop forever.
 * <p>
 * Thread rule: one thread at a time.
 */
public abstract class PortDevice {
    /** Wires that the ports are plugged into. */
    @FunctionalInterface
    public interface Wires {
        /** A frame leaves; the bytes are valid during the call only. */
        void transmit(int port, byte[] data, int lengthBytes);
    }

    /** Word at an offset that is a multiple of four. */
    public abstract int read32(int offset);

    /** Write of a word, of which the bits of the mask were written; the others are 0. */
    public abstract void write32(int offset, int word, int mask);

    /** Value of BAR 0, zero-extended. More than a word at once is refused, and so reads as all ones. */
    public final long read(long offset, int widthBytes) {
        if (widthBytes > Integer.BYTES) {
            return -1;
        }
        int shift = (int) (offset & 3) * Byte.SIZE;
        return (read32((int) offset & ~3) & 0xFFFF_FFFFL) >>> shift & (1L << widthBytes * Byte.SIZE) - 1;
    }

    /** Write to BAR 0. More than a word at once is dropped. */
    public final void write(long offset, int widthBytes, long value) {
        if (widthBytes <= Integer.BYTES) {
            int shift = (int) (offset & 3) * Byte.SIZE;
            int mask = (int) ((1L << widthBytes * Byte.SIZE) - 1 << shift);
            write32((int) offset & ~3, (int) (value << shift) & mask, mask);
        }
    }

    /** A frame arrives, without FCS; it is copied, or lost. One that the MAC marks as bad is not handed over. */
    public abstract void receive(int port, byte[] data, int offset, int lengthBytes);

    /** Whether there is room in front of the port for a frame. */
    public abstract boolean fits(int port, int lengthBytes);

    /** Whether a frame that arrives now reaches host memory; also true for one that never can. */
    public abstract boolean hasRoom(int port, int lengthBytes);

    /**
     * Lets frames move until there is nothing to do or about {@code budget} steps were taken.
     *
     * @return steps taken, 0 when idle
     */
    public abstract int work(int budget);

    /** Whether {@link #work} must be called again though it did nothing: something waits for its time. */
    public boolean isWaitingForTime() {
        return false;
    }

    /** Reset: as after power-on. */
    public abstract void reset();
}
