package dev.bascule.model;

/**
 * One end of a cable, as the port plugged into it sees it. Frames are without FCS and not padded.
 * <p>
 * Thread rule: {@code transmit} and {@code poll} from the thread of the port's device; nothing blocks.
 */
public interface WireEnd extends AutoCloseable {
    /** Nothing plugged in: frames sent are lost, none arrive. */
    WireEnd OPEN = new WireEnd() {
        @Override
        public boolean transmit(byte[] data, int offset, int lengthBytes) {
            return true;
        }

        @Override
        public int poll(FrameSink sink, int budget) {
            return 0;
        }

        @Override
        public boolean isUp() {
            return false;
        }
    };

    /** Takes frames; the bytes are valid during the call only. */
    @FunctionalInterface
    interface FrameSink {
        /** Takes a frame that arrived. */
        void frame(byte[] data, int offset, int lengthBytes);

        /**
         * As {@link #frame}, but only if the frame would not be lost now; false if it should be offered again later.
         */
        default boolean offer(byte[] data, int offset, int lengthBytes) {
            frame(data, offset, lengthBytes);
            return true;
        }
    }

    /** Sends a frame; false if the wire was full and lost it. The bytes are copied. */
    boolean transmit(byte[] data, int offset, int lengthBytes);

    /** Passes on at most {@code budget} frames that arrived; returns how many. */
    int poll(FrameSink sink, int budget);

    /** Whether there is somebody at the other end: what gives the port a link. */
    default boolean isUp() {
        return true;
    }

    /**
     * Checks that the wire can carry frames still or again; a {@link dev.bascule.device.DeviceException} once it has
     * ended for good. From any thread.
     */
    default void check() {}

    /** Unplugs. */
    @Override
    default void close() {}
}
