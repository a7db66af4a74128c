package dev.bascule.app;

import dev.bascule.nic.PacketProcessor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Searches the payloads of UDP and TCP packets for patterns. Each flow is a stream of its own, in the order in which its
 * packets come: a match may start in one packet and end in a later one of the same flow. Padding is no payload. Drops every
 * packet; it only listens. One thread.
 */
public final class LogMonitor implements PacketProcessor {
    /** Most streams at a time, unless told otherwise. */
    public static final int MOST_STREAMS = 1 << 16;

    private static final int LARGEST_PAYLOAD = 1 << 16;
    private static final int PROBES = 8;

    private final PatternSet patterns;
    private final long[] matches = new long[PatternSet.MOST_PATTERNS];
    private final long[] addresses;
    private final long[] ports;
    private final PatternSet.@Nullable State[] states;
    private final byte[] payload = new byte[LARGEST_PAYLOAD];
    private long bytes;
    private long streams;
    private long forgotten;

    /** Searching for {@code patterns}. */
    public LogMonitor(PatternSet patterns) {
        this(patterns, MOST_STREAMS);
    }

    /** @param mostStreams a power of two; when a flow finds no place another's is taken, and counted */
    public LogMonitor(PatternSet patterns, int mostStreams) {
        if (mostStreams < PROBES || Integer.bitCount(mostStreams) != 1) {
            throw new IllegalArgumentException(mostStreams + " streams; a power of two from " + PROBES + " on");
        }
        this.patterns = patterns;
        addresses = new long[mostStreams];
        ports = new long[mostStreams];
        states = new PatternSet.State[mostStreams];
    }

    @Override
    public int process(MemorySegment memory, long offset, int lengthBytes) {
        if (Headers.hasPorts(memory, offset, lengthBytes)) {
            int start = payloadStart(memory, offset, lengthBytes);
            int end = payloadEnd(memory, offset, lengthBytes);
            if (start < end) {
                search(memory, offset, start, end - start);
            }
        }
        return 0;
    }

    private static int payloadStart(MemorySegment memory, long offset, int lengthBytes) {
        return isUdp(memory, offset) ? Headers.UDP_PAYLOAD : tcpPayload(memory, offset, lengthBytes);
    }

    private static int payloadEnd(MemorySegment memory, long offset, int lengthBytes) {
        int end = Math.min(lengthBytes, Headers.IP + Headers.u16(memory, offset + Headers.IP_LENGTH));
        return isUdp(memory, offset)
                ? Math.min(end, Headers.SOURCE_PORT + Headers.u16(memory, offset + Headers.UDP_LENGTH))
                : end;
    }

    private static boolean isUdp(MemorySegment memory, long offset) {
        return Headers.u8(memory, offset + Headers.IP_PROTOCOL) == Headers.UDP;
    }

    private static int tcpPayload(MemorySegment memory, long offset, int lengthBytes) {
        int words = lengthBytes > Headers.TCP_DATA_OFFSET
                ? Headers.u8(memory, offset + Headers.TCP_DATA_OFFSET) >>> 4
                : 5;
        return Headers.SOURCE_PORT + 4 * Math.max(5, words);
    }

    private void search(MemorySegment memory, long packet, int start, int lengthBytes) {
        int stream = stream(memory, packet);
        PatternSet.State state = states[stream];
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, packet + start, payload, 0, lengthBytes);
        states[stream] = patterns.search(state == null ? patterns.start() : state, payload, lengthBytes, matches);
        bytes += lengthBytes;
    }

    /**
     * Before {@link #process} of the same packet: tells which entries of the automaton its search will read, as addresses
     * from 0 on. For models of caches.
     */
    public void follow(MemorySegment memory, long offset, int lengthBytes, LongConsumer entry) {
        if (!Headers.hasPorts(memory, offset, lengthBytes)) {
            return;
        }
        int start = payloadStart(memory, offset, lengthBytes);
        int length = payloadEnd(memory, offset, lengthBytes) - start;
        if (length > 0) {
            PatternSet.State state = states[stream(memory, offset)];
            MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset + start, payload, 0, length);
            patterns.follow(state == null ? patterns.start() : state, payload, length, entry);
        }
    }

    /** States of the automaton that streams have reached. */
    public int automatonStates() {
        return patterns.made();
    }

    /** The place of a packet's flow. */
    private int stream(MemorySegment memory, long packet) {
        long pair = (long) Headers.i32(memory, packet + Headers.SOURCE_IP) << 32
                | Headers.i32(memory, packet + Headers.DESTINATION_IP) & 0xFFFF_FFFFL;
        long port = (long) Headers.u8(memory, packet + Headers.IP_PROTOCOL) << 32
                | Headers.i32(memory, packet + Headers.SOURCE_PORT) & 0xFFFF_FFFFL;
        long mixed = (pair ^ port * 0x9E37_79B9_7F4A_7C15L) * 0xD6E8_FEB8_6659_FD93L;
        int home = (int) (mixed >>> 32) & states.length - 1;
        for (int i = 0; i < PROBES; i++) {
            int place = home + i & states.length - 1;
            if (states[place] == null) {
                return take(place, pair, port);
            }
            if (addresses[place] == pair && ports[place] == port) {
                return place;
            }
        }
        forgotten++;
        return take(home, pair, port);
    }

    private int take(int place, long pair, long port) {
        addresses[place] = pair;
        ports[place] = port;
        states[place] = null;
        streams++;
        return place;
    }

    /** Ends of matches of a pattern so far. */
    public long matches(int pattern) {
        return matches[pattern];
    }

    /** Ends of matches of all patterns so far. */
    public long matches() {
        return Arrays.stream(matches).sum();
    }

    /** Bytes of payload so far. */
    public long bytes() {
        return bytes;
    }

    /** Streams begun; one whose place was taken in between counts again. */
    public long streams() {
        return streams;
    }

    /** Streams whose place was taken, so that a match across packets may have been missed. */
    public long forgotten() {
        return forgotten;
    }
}
