package dev.bascule.nic;

import java.lang.foreign.MemorySegment;

/**
 * Walks over the messages of a pipe, one after the other, without allocation:
 *
 * <pre>
 * messages.start(pipe, 1000);
 * while (messages.next()) {
 *     work(messages.memory(), messages.offset(), messages.lengthBytes());
 * }
 * pipe.confirm(messages.end());
 * </pre>
 *
 * One object may serve many pipes, one after the other. Not thread-safe.
 */
public final class Messages {
    private final MessageFormat format;
    private MemorySegment memory = MemorySegment.NULL;
    private long start;
    private long available;
    private long capacity;
    private long end;
    private long offset;
    private long length;
    private long left;
    private long malformed;
    private long tooLong;
    private boolean stuck;

    /** A walk over messages of this format. */
    public Messages(MessageFormat format) {
        this.format = format;
    }

    /** Starts at the confirmed position of {@code pipe}, with at most {@code limit} messages; returns the bytes seen. */
    public long start(RxPipe pipe, long limit) {
        available = pipe.peek();
        memory = pipe.memory();
        start = pipe.offset();
        capacity = pipe.capacityBytes();
        left = limit;
        end = 0;
        length = 0;
        stuck = false;
        return available;
    }

    /**
     * Goes to the next whole message; false at the end of what has arrived. Malformed bytes are passed over to the end
     * of the batch and counted.
     */
    public boolean next() {
        if (left == 0 || end >= available) {
            return false;
        }
        long found = format.lengthBytes(memory, start + end, available - end);
        if (found > 0 && found <= available - end) {
            offset = start + end;
            length = found;
            end += found;
            left--;
            return true;
        }
        if (found < 0) {
            malformed++;
            end = available;
        } else if (found > capacity) {
            stuck = true;
            tooLong++;
        }
        return false;
    }

    /** Where the current message starts. */
    public long offset() {
        return offset;
    }

    /** Length of the current message, with everything up to the next one. */
    public long lengthBytes() {
        return length;
    }

    /**
     * Bytes passed so far, rounded up to the quantum (never beyond what is there): what to confirm.
     */
    public long end() {
        return Math.min(available, end + RxPipe.QUANTUM_BYTES - 1 & -RxPipe.QUANTUM_BYTES);
    }

    /** Bytes passed so far, exactly. */
    public long passedBytes() {
        return end;
    }

    /**
     * Whether the next message is longer than the pipe, so that it never arrives as a whole. The application must take
     * it in parts or clear the pipe.
     */
    public boolean stuck() {
        return stuck;
    }

    /** Batches that ended in bytes that are no message, over all pipes. */
    public long malformed() {
        return malformed;
    }

    /** Times the walk met a message longer than its pipe. */
    public long tooLong() {
        return tooLong;
    }
}
