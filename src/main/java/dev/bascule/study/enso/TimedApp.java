package dev.bascule.study.enso;

import dev.bascule.nic.PacketProcessor;
import java.lang.foreign.MemorySegment;
import java.util.function.LongConsumer;

/**
 * An application in virtual time: its own code on the bytes, and beside it what that costs.
 *
 * @param code what runs
 * @param nanosPerPacket instructions for each packet
 * @param nanosPerByte instructions for each byte of it
 * @param wholePacket whether it reads every line of a packet, not only the first
 * @param answers whether packets leave again
 * @param touches which lines of its own memory a packet needs: told to the consumer, as addresses from 0 on
 */
record TimedApp(PacketProcessor code, double nanosPerPacket, double nanosPerByte, boolean wholePacket,
        boolean answers, Touches touches) {
    /** The application's own memory. */
    @FunctionalInterface
    interface Touches {
        /** Nothing. */
        Touches NONE = (memory, offset, lengthBytes, line) -> {};

        /** Tells the addresses for the packet at {@code offset}. */
        void of(MemorySegment memory, long offset, int lengthBytes, LongConsumer line);
    }

    /** On pipes: echo from a copy, by {@code CopyEcho}, which is no processor. */
    static final TimedApp COPY = echo();

    /** Echo. */
    static TimedApp echo() {
        return new TimedApp(new dev.bascule.app.Echo(), 0, 0, false, true, Touches.NONE);
    }
}
