package dev.bascule.model.enso;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Joins TCP segments that arrive one behind the other into one packet, as large receive offload does: one flow, in
 * sequence, acknowledgements only, the same options. A push, anything else, or the device's next piece of work lets go of
 * what is held. Not part of Ensō's hardware: this model's, for a driver that asks for it. Off at first.
 */
final class Joiner {
    private static final int SAME_FROM = TcpIp.IP + 12;
    private static final int ACKNOWLEDGEMENT = 8;
    private static final int WINDOW_END = 16;
    private static final int OPTIONS = 20;

    private int mostBytes;
    private byte[] held = new byte[0];
    private int length;
    private int next;
    private boolean joined;

    /** @param most bytes of a joined packet; 0 to join nothing */
    void configure(int most) {
        mostBytes = most;
    }

    /** Whether it joins or still holds something. */
    boolean isActive() {
        return mostBytes > 0 || length > 0;
    }

    /** A frame arrives; {@code out} takes what is not held, in order. */
    void arrive(byte[] frame, int lengthBytes, Consumer<byte[]> out) {
        if (!joins(frame, lengthBytes)) {
            flush(out);
            out.accept(Arrays.copyOf(frame, lengthBytes));
            return;
        }
        int payload = TcpIp.payload(frame);
        int end = TcpIp.end(frame);
        if (length > 0 && (!continues(frame, payload) || length + end - payload > mostBytes)) {
            flush(out);
        }
        int tcp = TcpIp.transport(frame);
        if (length == 0) {
            held = Arrays.copyOf(frame, Math.max(mostBytes, end));
            length = end;
        } else {
            System.arraycopy(frame, payload, held, length, end - payload);
            System.arraycopy(frame, tcp + ACKNOWLEDGEMENT, held, tcp + ACKNOWLEDGEMENT, WINDOW_END - ACKNOWLEDGEMENT);
            length += end - payload;
            joined = true;
        }
        next = TcpIp.i32(frame, tcp + TcpIp.SEQUENCE) + end - payload;
        if ((frame[tcp + TcpIp.FLAGS] & TcpIp.PSH) != 0) {
            flush(out);
        }
    }

    private boolean joins(byte[] frame, int lengthBytes) {
        if (mostBytes == 0 || !TcpIp.is(frame, lengthBytes, TcpIp.TCP) || TcpIp.transport(frame) != TcpIp.IP + 20) {
            return false;
        }
        int flags = frame[TcpIp.transport(frame) + TcpIp.FLAGS] & 0xFF;
        return (flags & ~TcpIp.PSH) == TcpIp.ACK && TcpIp.payload(frame) < TcpIp.end(frame);
    }

    private boolean continues(byte[] frame, int payload) {
        int tcp = TcpIp.transport(frame);
        return payload == TcpIp.payload(held) && TcpIp.i32(frame, tcp + TcpIp.SEQUENCE) == next
                && Arrays.equals(frame, SAME_FROM, tcp + TcpIp.SEQUENCE, held, SAME_FROM, tcp + TcpIp.SEQUENCE)
                && Arrays.equals(frame, tcp + OPTIONS, payload, held, tcp + OPTIONS, payload);
    }

    /** Lets go of what is held. */
    void flush(Consumer<byte[]> out) {
        if (length == 0) {
            return;
        }
        byte[] packet = Arrays.copyOf(held, length);
        length = 0;
        if (joined) {
            joined = false;
            TcpIp.seal(packet, packet.length);
        }
        out.accept(packet);
    }

    /** Forgets what is held. */
    void reset() {
        length = 0;
        joined = false;
    }
}
