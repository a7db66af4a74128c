package dev.bascule.app;

import dev.bascule.nic.PacketHeaders;
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
    private static final int WORDS = 4;
    private static final int KEY = WORDS + 1;

    private final PatternSet patterns;
    private final long[] matches = new long[PatternSet.MOST_PATTERNS];
    private final PacketHeaders headers = new PacketHeaders();
    private final long[] keys;
    /** The flow in hand: both addresses, of which IPv4's fill one word, then protocol and ports. */
    private final long[] key = new long[KEY];
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
        keys = new long[KEY * mostStreams];
        states = new PatternSet.State[mostStreams];
    }

    @Override
    public int process(MemorySegment memory, long offset, int lengthBytes) {
        if (headers.read(memory, offset, lengthBytes) && headers.payload() < headers.payloadEnd()) {
            search(memory, offset, headers.payload(), headers.payloadEnd() - headers.payload());
        }
        return 0;
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
        if (!headers.read(memory, offset, lengthBytes)) {
            return;
        }
        int start = headers.payload();
        int length = headers.payloadEnd() - start;
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
        boolean wide = headers.isIpv6();
        long from = packet + headers.network() + (wide ? 8 : 12);
        long ports = (long) headers.protocol() << 32
                | Headers.i32(memory, packet + headers.transport()) & 0xFFFF_FFFFL;
        long mixed = ports * 0x9E37_79B9_7F4A_7C15L;
        for (int i = 0; i < WORDS; i++) {
            key[i] = wide || i == 0 ? Headers.i64(memory, from + 8 * i) : 0;
            mixed = (mixed ^ key[i]) * 0xD6E8_FEB8_6659_FD93L;
        }
        key[WORDS] = ports;
        int home = (int) (mixed >>> 32) & states.length - 1;
        for (int i = 0; i < PROBES; i++) {
            int place = home + i & states.length - 1;
            if (states[place] == null) {
                return take(place);
            }
            if (Arrays.equals(key, 0, KEY, keys, place * KEY, (place + 1) * KEY)) {
                return place;
            }
        }
        forgotten++;
        return take(home);
    }

    private int take(int place) {
        System.arraycopy(key, 0, keys, place * KEY, KEY);
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
