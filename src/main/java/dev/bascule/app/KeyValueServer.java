package dev.bascule.app;

import dev.bascule.nic.PacketHeaders;
import dev.bascule.nic.PacketProcessor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A key-value server over UDP on a {@link CircularStore}: the answer is written into the request's packet and sent back.
 * Payload, little endian: u8 operation (1 get, 2 put), u8 status of the answer (0 done, 1 not found, 2 bad request),
 * u16 length of the value, u32 sequence of the client's choice, u64 key, value. A get carries a value of the length it
 * has room for; an answer's value is cut to that, so that a packet never grows.
 */
public final class KeyValueServer implements PacketProcessor {
    /** Operations and states of the protocol. */
    public static final int GET = 1;
    /** Stores. */
    public static final int PUT = 2;
    /** It was done. */
    public static final int DONE = 0;
    /** No such key. */
    public static final int NOT_FOUND = 1;
    /** Unknown operation, or a value that does not fit. */
    public static final int BAD_REQUEST = 2;
    /** Bytes of a request before its value. */
    public static final int HEADER_BYTES = 16;

    private static final int STATUS = 1;
    private static final int LENGTH = 2;
    private static final int KEY = 8;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private final CircularStore store;
    private final PacketHeaders headers = new PacketHeaders();
    private final int port;
    private long served;
    private long stored;
    private long hits;
    private long misses;
    private long dropped;

    /** Serving {@code store} at a UDP port. */
    public KeyValueServer(CircularStore store, int port) {
        this.store = store;
        this.port = port;
    }

    @Override
    public int process(MemorySegment memory, long offset, int lengthBytes) {
        if (!isRequest(memory, offset, lengthBytes)) {
            dropped++;
            return 0;
        }
        long payload = offset + headers.payload();
        int room = headers.payloadEnd() - headers.payload() - HEADER_BYTES;
        memory.set(ValueLayout.JAVA_BYTE, payload + STATUS, (byte) answer(memory, payload, room));
        turnRound(memory, offset);
        served++;
        return lengthBytes;
    }

    /** A whole datagram over IPv4: a fragment has not all of the request. */
    private boolean isRequest(MemorySegment memory, long offset, int lengthBytes) {
        return headers.read(memory, offset, lengthBytes) && headers.isIpv4() && !headers.isFragment()
                && headers.protocol() == PacketHeaders.UDP && headers.destinationPort() == port
                && headers.payloadEnd() - headers.payload() >= HEADER_BYTES;
    }

    private int answer(MemorySegment memory, long payload, int room) {
        int operation = Headers.u8(memory, payload);
        int length = memory.get(SHORT, payload + LENGTH) & 0xFFFF;
        long key = memory.get(LONG, payload + KEY);
        if (length > room) {
            return BAD_REQUEST;
        }
        if (operation == PUT) {
            boolean put = store.put(key, memory, payload + HEADER_BYTES, length);
            stored += put ? 1 : 0;
            return put ? DONE : BAD_REQUEST;
        }
        if (operation != GET) {
            return BAD_REQUEST;
        }
        long value = store.find(key);
        if (value < 0) {
            misses++;
            return NOT_FOUND;
        }
        hits++;
        int bytes = Math.min(room, store.lengthBytes(value));
        MemorySegment.copy(store.memory(), value, memory, payload + HEADER_BYTES, bytes);
        memory.set(SHORT, payload + LENGTH, (short) bytes);
        return DONE;
    }

    /** Addresses and ports swapped; sums of swapped words stay the same, the UDP checksum is optional and left out. */
    private void turnRound(MemorySegment memory, long offset) {
        Headers.swapMacs(memory, offset);
        long addresses = offset + headers.network() + 12;
        int source = Headers.i32(memory, addresses);
        Headers.putI32(memory, addresses, Headers.i32(memory, addresses + 4));
        Headers.putI32(memory, addresses + 4, source);
        long udp = offset + headers.transport();
        Headers.putI32(memory, udp, Integer.rotateLeft(Headers.i32(memory, udp), 16));
        Headers.putU16(memory, udp + 6, 0);
    }

    /** Requests answered. */
    public long served() {
        return served;
    }

    /** Values stored. */
    public long stored() {
        return stored;
    }

    /** Requests for a value that was there. */
    public long hits() {
        return hits;
    }

    /** Requests for a value that was not there. */
    public long misses() {
        return misses;
    }

    /** Packets that were no requests. */
    public long dropped() {
        return dropped;
    }
}
