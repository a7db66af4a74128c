package dev.bascule.nic.enso;

import dev.bascule.device.DeviceException;
import dev.bascule.ffi.Patience;
import dev.bascule.nic.Flow;
import dev.bascule.ring.IdleStrategy;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;

/**
 * Configuration entries through a notification buffer of their own; each waits for its completion. Not thread-safe: the
 * owner locks.
 */
final class Control {
    private static final long WAIT_NANOS = 1_000_000_000L;
    /**
     * Remedy for a board without settings. Opening the device again does not help: through VFIO that resets the device
     * and clears them.
     */
    static final String SET_BOARD = "ring sizes and in-flight limit of the board are 0 after loading the bitstream and after "
            + "a reset, and opening the device through VFIO resets it: have them set while it is open, by enso.boardTool of "
            + "the configuration or by hand with --hold; in a program, between opening the backing and EnsoNic.open";

    private static final long TOP_BIT = Long.MIN_VALUE;
    private static final int TOP_BIT_32 = Integer.MIN_VALUE;

    /** The pipe of a flow that is to count as unknown again. */
    static final int NO_PIPE = -1;

    private final NotificationBuffer buffer;
    private final IdleStrategy idle;

    Control(NotificationBuffer buffer, IdleStrategy idle) {
        this.buffer = buffer;
        this.idle = idle;
    }

    void flow(Flow flow, int pipe) {
        send("bind " + flow, EnsoFormats.CONFIG_FLOW, entry -> {
            entry.set(ValueLayout.JAVA_SHORT, EnsoFormats.FLOW_DESTINATION_PORT, (short) flow.destinationPort());
            entry.set(ValueLayout.JAVA_SHORT, EnsoFormats.FLOW_SOURCE_PORT, (short) flow.sourcePort());
            entry.set(ValueLayout.JAVA_INT, EnsoFormats.FLOW_DESTINATION_IP, flow.destinationIp());
            entry.set(ValueLayout.JAVA_INT, EnsoFormats.FLOW_SOURCE_IP, flow.sourceIp());
            entry.set(ValueLayout.JAVA_INT, EnsoFormats.FLOW_PROTOCOL, flow.protocol());
            entry.set(ValueLayout.JAVA_INT, EnsoFormats.FLOW_PIPE, pipe);
        });
    }

    void fallback(int count, boolean roundRobin) {
        send("set " + count + " fallback pipes", EnsoFormats.CONFIG_FALLBACK, entry -> {
            entry.set(ValueLayout.JAVA_INT, EnsoFormats.FALLBACK_COUNT, count);
            entry.set(ValueLayout.JAVA_INT, EnsoFormats.FALLBACK_MASK, Math.max(0, Integer.highestOneBit(count) - 1));
            entry.set(ValueLayout.JAVA_LONG, EnsoFormats.FALLBACK_ROUND_ROBIN, roundRobin ? TOP_BIT : 0);
        });
    }

    void timeStamping(boolean on, int offset) {
        send("set time stamping", EnsoFormats.CONFIG_TIMESTAMP, entry -> {
            entry.set(ValueLayout.JAVA_LONG, EnsoFormats.TIMESTAMP_ENABLE, on ? TOP_BIT : 0);
            entry.set(ValueLayout.JAVA_LONG, EnsoFormats.TIMESTAMP_OFFSET, offset);
        });
    }

    void rateLimit(boolean on, int numerator, int denominator) {
        send("set the rate limit", EnsoFormats.CONFIG_RATE_LIMIT, entry -> {
            entry.set(ValueLayout.JAVA_SHORT, EnsoFormats.RATE_DENOMINATOR, (short) denominator);
            entry.set(ValueLayout.JAVA_SHORT, EnsoFormats.RATE_NUMERATOR, (short) numerator);
            entry.set(ValueLayout.JAVA_INT, EnsoFormats.RATE_ENABLE, on ? TOP_BIT_32 : 0);
        });
    }

    private void send(String step, long id, Consumer<MemorySegment> fill) {
        if (buffer.requests.room() == 0) {
            throw timeout(step); // earlier entries without an answer fill the ring
        }
        boolean[] done = { false };
        MemorySegment entry = buffer.requests.configuration(lengthBytes -> done[0] = true);
        entry.set(ValueLayout.JAVA_LONG, EnsoFormats.CONFIG_ID, id);
        fill.accept(entry);
        buffer.requests.ring();
        Patience patience = new Patience(WAIT_NANOS, buffer::nanoTime, () -> 0);
        while (!done[0]) {
            int work = buffer.requests.reclaim(Integer.MAX_VALUE);
            if (work == 0 && patience.isOver()) {
                throw timeout(step);
            }
            idle.idle(work);
        }
    }

    private static DeviceException timeout(String step) {
        return new DeviceException(step, "enso", "the device did not complete the configuration entry within "
                + WAIT_NANOS / 1_000_000 + " ms",
                SET_BOARD);
    }
}
