package dev.bascule.bench;

import dev.bascule.model.WireEnd;

/** The station at the far end of a model's wire: up to 256 frames on their way. */
final class FarStation implements WireEnd {
    private static final int WINDOW = 256;

    private final byte[] frame = new byte[64];
    private long sent;
    private long returned;

    @Override
    public boolean transmit(byte[] data, int offset, int lengthBytes) {
        returned++;
        return true;
    }

    @Override
    public int poll(FrameSink sink, int budget) {
        int count = (int) Math.min(budget, WINDOW - (sent - returned));
        for (int i = 0; i < count; i++) {
            sink.frame(frame, 0, frame.length);
        }
        sent += count;
        return count;
    }
}
