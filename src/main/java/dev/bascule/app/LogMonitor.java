package dev.bascule.app;

import dev.bascule.nic.PacketProcessor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Searches the payloads of UDP and TCP packets for patterns, as one stream: a match may start in one packet and end in a
 * later one. Drops every packet; it only listens.
 */
public final class LogMonitor implements PacketProcessor {
    private final PatternSet patterns;
    private final long[] matches = new long[PatternSet.MOST_PATTERNS];
    private int state;
    private long bytes;

    /** Searching for {@code patterns}. */
    public LogMonitor(PatternSet patterns) {
        this.patterns = patterns;
        this.state = patterns.start();
    }

    @Override
    public int process(MemorySegment memory, long offset, int lengthBytes) {
        if (Headers.hasPorts(memory, offset, lengthBytes)) {
            int header = payloadOffset(memory, offset, lengthBytes);
            search(memory, offset + header, lengthBytes - header);
        }
        return 0;
    }

    private static int payloadOffset(MemorySegment memory, long offset, int lengthBytes) {
        if (Headers.u8(memory, offset + Headers.IP_PROTOCOL) == Headers.UDP) {
            return Headers.UDP_PAYLOAD;
        }
        int dataOffset = lengthBytes > Headers.TCP_DATA_OFFSET
                ? Headers.u8(memory, offset + Headers.TCP_DATA_OFFSET) >>> 4
                : 5;
        return Math.min(lengthBytes, Headers.SOURCE_PORT + 4 * Math.max(5, dataOffset));
    }

    /** The next bytes of the stream. */
    public void search(MemorySegment memory, long offset, long lengthBytes) {
        PatternSet set = patterns;
        int at = state;
        for (long i = offset; i < offset + lengthBytes; i++) {
            at = set.next(at, memory.get(ValueLayout.JAVA_BYTE, i) & 0xFF);
            long found = set.matches(at);
            if (found != 0) {
                count(found);
            }
        }
        state = at;
        bytes += lengthBytes;
    }

    private void count(long found) {
        for (long rest = found; rest != 0; rest &= rest - 1) {
            matches[Long.numberOfTrailingZeros(rest)]++;
        }
    }

    /** Ends of matches of a pattern so far. */
    public long matches(int pattern) {
        return matches[pattern];
    }

    /** Bytes of payload so far. */
    public long bytes() {
        return bytes;
    }
}
