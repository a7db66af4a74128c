package dev.bascule.study.fabric;

import java.util.Arrays;
import java.util.function.Consumer;

/** The sending side of a network card: an item is a frame that leaves, in the order in which they come. */
public final class FrameSender implements Accelerator {
    /** Command: send. */
    public static final int SEND = 1;

    private final Consumer<byte[]> wire;
    private final double psPerByte;
    private long sent;

    /**
     * A sender.
     *
     * @param wire takes what leaves
     * @param bitsPerSecond of the wire; 0 for one without limit
     */
    public FrameSender(Consumer<byte[]> wire, double bitsPerSecond) {
        this.wire = wire;
        psPerByte = bitsPerSecond == 0 ? 0 : 8e12 / bitsPerSecond;
    }

    @Override
    public int run(int command, int parameter, byte[] in, int offset, int lengthBytes, byte[] out) {
        if (command != SEND) {
            return REJECTED;
        }
        sent++;
        wire.accept(Arrays.copyOfRange(in, offset, offset + lengthBytes));
        return NOTHING;
    }

    /** Frames that left. */
    public long sent() {
        return sent;
    }

    /** 20 bytes of preamble and gap and 4 of check sum go with each frame. */
    @Override
    public long workPs(int command, int lengthBytes) {
        return Math.round(psPerByte * (lengthBytes + 24));
    }
}
