package dev.bascule.nic;

import dev.bascule.ffi.RawMemory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A burst of packets: references to packets in the card's memory, in order, with what the card says about each. All
 * packets of a batch lie in one {@link PacketMemory}. A packet may lie in several pieces, an entry each: each but the last
 * has the flag {@link #MORE}, and what the card says is in the first. So a batch is walked packet by packet:
 *
 * <pre>{@code
 * for (int i = 0; i < batch.size(); i = batch.next(i)) {
 *     int bytes = batch.packetLength(i);
 *     ...
 * }
 * }</pre>
 * <p>
 * Whoever fills a batch passes the packets on to the owner of the batch; {@link TxQueue#write} and {@link #release()}
 * take them away. What only drivers do with a batch is in {@link PacketWriter}. A batch is made once and reused; nothing
 * is allocated per packet.
 * <p>
 * Thread rule: one thread, that of the queues it is used with. An index outside of the batch is an
 * {@link IndexOutOfBoundsException}.
 */
public final class PacketBatch {
    /** {@link #timestampNanos} of a packet without one. */
    public static final long NO_TIMESTAMP = -1;

    /** Flag: the packet goes on in the next entry. */
    public static final int MORE = 1;
    /** Flag: {@link #checksum} is valid. */
    public static final int HAS_CHECKSUM = 1 << 1;
    /** Flag: {@link #hash} is valid. */
    public static final int HAS_HASH = 1 << 2;
    /** Flag: the card found a TCP or UDP packet, whose ports went into the hash. */
    public static final int TRANSPORT = 1 << 3;
    /** Flag: a checksum is to be inserted on the way out, see {@link #requestChecksum}. */
    public static final int INSERT_CHECKSUM = 1 << 4;

    /** Flag: the entry is not as long as the packet in the card's memory says. */
    static final int RESIZED = 1 << 14;

    private static final int CHECKSUM_SHIFT = 32;
    private static final int FLAGS_SHIFT = 48;
    private static final int PUBLIC_FLAGS = RESIZED - 1;

    // Words of an entry
    private static final int OFFSET = 0;
    private static final int TOKEN = 1;
    private static final int LENGTH = 2;
    /** Hash in bits 31 to 0, checksum in 47 to 32, flags above: one store per packet. */
    private static final int NOTES = 3;
    private static final int TIMESTAMP = 4;
    /** A power of two: the compiler then proves a loop's indices before the loop. And one cache line. */
    private static final int WORDS_SHIFT = 3;

    /**
     * All entries, one after the other. OVERHEAD: with an array for each word, a loop over a batch ran out of registers:
     * 1.35 times as long for all that a driver does with a packet.
     */
    private final long[] words;
    private final int capacity;
    private @Nullable PacketMemory memory;
    private int size;

    /** @param capacity most entries; for {@code n} packets of {@code f} fragments, n * f */
    public PacketBatch(int capacity) {
        if (capacity < 1 || capacity > 1 << 16) {
            throw new IllegalArgumentException("a batch of " + capacity + " packets; it can have 1 to 65536");
        }
        this.capacity = capacity;
        this.words = new long[capacity << WORDS_SHIFT];
    }

    /** Most entries. */
    public int capacity() {
        return capacity;
    }

    /** Entries in it. */
    public int size() {
        return size;
    }

    /** Entries that can be appended. */
    public int room() {
        return capacity - size;
    }

    /** Whether it has no entries. */
    public boolean isEmpty() {
        return size == 0;
    }

    /** Where all its packets lie; {@link IllegalStateException} if it never had any. */
    public PacketMemory memory() {
        PacketMemory owner = memory;
        if (owner == null) {
            throw new IllegalStateException("a batch that was never filled lies nowhere");
        }
        return owner;
    }

    /** First byte of an entry, from the start of {@code memory().segment()}. */
    public long offset(int i) {
        return words[at(i) + OFFSET];
    }

    /** Bytes of an entry. */
    public int length(int i) {
        return (int) words[at(i) + LENGTH];
    }

    /** Changes the length of an entry; 0 means that it is not to be sent. Not more than its buffer holds. */
    public void setLength(int i, int lengthBytes) {
        if (lengthBytes < 0) {
            throw new IllegalArgumentException("a packet of " + lengthBytes + " bytes");
        }
        int at = at(i);
        if (words[at + LENGTH] != lengthBytes) {
            words[at + LENGTH] = lengthBytes;
            words[at + NOTES] |= (long) RESIZED << FLAGS_SHIFT;
        }
    }

    /** The flags of an entry. */
    public int flags(int i) {
        return allFlags(i) & PUBLIC_FLAGS;
    }

    /** Whether the packet goes on in the next entry. */
    public boolean hasMore(int i) {
        return (flags(i) & MORE) != 0;
    }

    /** Entry at which the packet behind the one that begins at entry {@code i} begins; {@link #size} behind the last. */
    public int next(int i) {
        int last = i;
        while (hasMore(last) && last + 1 < size) {
            last++;
        }
        return last + 1;
    }

    /** Packets in it. */
    public int packets() {
        int count = 0;
        for (int i = 0; i < size; i = next(i)) {
            count++;
        }
        return count;
    }

    /** Bytes of the packet that begins at entry {@code i}, in all its pieces. */
    public int packetLength(int i) {
        int end = next(i);
        int sum = 0;
        for (int piece = i; piece < end; piece++) {
            sum += length(piece);
        }
        return sum;
    }

    /** Copies the packet that begins at entry {@code i} to one place; says how long it is. */
    public int copyPacket(int i, MemorySegment to, long offset) {
        MemorySegment from = memory().segment();
        int end = next(i);
        int done = 0;
        for (int piece = i; piece < end; piece++) {
            MemorySegment.copy(from, offset(piece), to, offset + done, length(piece));
            done += length(piece);
        }
        return done;
    }

    /**
     * Gives the packet that begins at entry {@code i} the first {@code lengthBytes} of {@code from}, piece by piece: pieces
     * that nothing is left for become empty. 0 drops the packet; not more than {@link #packetLength}.
     */
    public void replacePacket(int i, MemorySegment from, long offset, int lengthBytes) {
        if (lengthBytes < 0 || lengthBytes > packetLength(i)) {
            throw new IllegalArgumentException(lengthBytes + " bytes for a packet of " + packetLength(i));
        }
        int end = next(i);
        int done = 0;
        for (int piece = i; piece < end; piece++) {
            int part = Math.min(length(piece), lengthBytes - done);
            MemorySegment.copy(from, offset + done, memory().segment(), offset(piece), part);
            setLength(piece, part);
            done += part;
        }
    }

    /** Joins an entry and the next one into one packet, or separates them. */
    public void setMore(int i, boolean more) {
        long bit = (long) MORE << FLAGS_SHIFT;
        int at = at(i) + NOTES;
        words[at] = more ? words[at] | bit : words[at] & ~bit;
    }

    /** The card's hash of the flow, with {@link #HAS_HASH}. */
    public int hash(int i) {
        return (int) words[at(i) + NOTES];
    }

    /**
     * With {@link #HAS_CHECKSUM}: the 16-bit one's complement sum of the frame from byte 14 to its end, in network order
     * of words, not inverted.
     */
    public int checksum(int i) {
        return (int) (words[at(i) + NOTES] >>> CHECKSUM_SHIFT) & 0xFFFF;
    }

    /** The card's time at which the packet arrived, ns since its epoch, or {@link #NO_TIMESTAMP}. */
    public long timestampNanos(int i) {
        return words[at(i) + TIMESTAMP];
    }

    /**
     * Has a checksum inserted when the packet is sent: the inverted one's complement sum of all bytes from
     * {@code startBytes} to the end, including what the field holds (the sum of the pseudo header), is written to the
     * field. The card does it where it can ({@link NicCapabilities#txChecksum}), else the driver, which then reads the
     * packet once. Of a packet of several entries, asked of the first.
     *
     * @param startBytes where the sum starts, 0 to 127
     * @param fieldBytes where the field lies, from the start of the packet, at most 127 after {@code startBytes}
     */
    public void requestChecksum(int i, int startBytes, int fieldBytes) {
        int distance = fieldBytes - startBytes;
        if (startBytes < 0 || startBytes > 127 || distance < 0 || distance > 127) {
            throw new IllegalArgumentException("checksum from byte " + startBytes + " into byte " + fieldBytes
                    + "; start and distance can be 0 to 127");
        }
        note(i, allFlags(i) & ~HAS_CHECKSUM | INSERT_CHECKSUM, hash(i), distance << 8 | startBytes);
    }

    /** Gives all packets back to their owner. The batch is empty then. */
    public void release() {
        release(size);
    }

    /** Gives the first {@code count} entries back to their owner and removes them. */
    public void release(int count) {
        if (count > 0) {
            memory().release(this, 0, count);
        }
        removeFirst(count);
    }

    /** The request of {@link #requestChecksum}, distance from the start in bits 14 to 8, start in 6 to 0. */
    int checksumRequest(int i) {
        return checksum(i);
    }

    /** Token by which the owner knows the packet. */
    long token(int i) {
        return words[at(i) + TOKEN];
    }

    /**
     * The entries appended from now on lie in {@code owner}.
     *
     * @throws IllegalStateException if the batch holds packets of another owner
     */
    void openFor(PacketMemory owner) {
        if (memory != owner) {
            if (size != 0) {
                throw new IllegalStateException("the batch still holds " + size
                        + " packets of another queue; pass them on or release them first");
            }
            memory = owner;
        }
    }

    /** Appends an entry without anything the card says; {@link #describe} adds that. */
    void add(long token, long offset, int lengthBytes, int packetFlags) {
        put(size, token, offset, lengthBytes, packetFlags, 0, 0, NO_TIMESTAMP);
        size++;
    }

    /**
     * {@link #add} and {@link #describe} in one step for entry {@code i}, which counts once
     * {@link #setSize} includes it; for loops that keep the size in a register.
     */
    void put(int i, long token, long offset, int lengthBytes, int packetFlags, int hash, int checksum,
            long timestampNanos) {
        int at = i << WORDS_SHIFT;
        words[at + OFFSET] = offset;
        words[at + TOKEN] = token;
        words[at + LENGTH] = lengthBytes;
        words[at + NOTES] = notes(packetFlags, hash, checksum);
        words[at + TIMESTAMP] = timestampNanos;
    }

    /** Only the first {@code entries} count; those beyond the former size have been {@link #put}. */
    void setSize(int entries) {
        size = java.util.Objects.checkIndex(entries, capacity + 1);
    }

    /** Notes what the card says about an entry. */
    void describe(int i, int hash, int checksum, long timestampNanos) {
        note(i, allFlags(i), hash, checksum);
        words[at(i) + TIMESTAMP] = timestampNanos;
    }

    /** Asks for the same on the way out, of a packet in one piece, as entry {@code j} of another batch does. */
    void copyRequest(int i, PacketBatch from, int j) {
        note(i, allFlags(i) & ~PUBLIC_FLAGS | from.flags(j) & INSERT_CHECKSUM, 0, from.checksum(j));
    }

    /** Whether an entry has any of {@code some} flags, {@link #RESIZED} included. */
    boolean has(int i, int some) {
        return (allFlags(i) & some) != 0;
    }

    /**
     * Stores the tokens of all entries, 8 bytes each, from {@code address} on. If an entry has any of
     * {@code unless} flags, what was stored is of no use.
     *
     * @return bytes of all entries, or -1 if one has such a flag
     */
    long storeTokens(long address, int unless) {
        if (size == 1) { // OVERHEAD: as in ProcessorLoop
            RawMemory.store(address, words[TOKEN]);
            return (words[NOTES] >>> FLAGS_SHIFT & unless) == 0 ? words[LENGTH] : -1;
        }
        long seen = 0;
        long bytes = 0;
        for (int i = 0; i < size; i++) {
            int at = i << WORDS_SHIFT;
            RawMemory.store(address + 8L * i, words[at + TOKEN]);
            seen |= words[at + NOTES];
            bytes += words[at + LENGTH];
        }
        return (seen >>> FLAGS_SHIFT & unless) == 0 ? bytes : -1;
    }

    /** Takes the first {@code count} entries out without giving them back; their new owner has them. */
    void removeFirst(int count) {
        int rest = size - count;
        if (count < 0 || rest < 0) {
            throw new IndexOutOfBoundsException(count + " of " + size + " entries");
        }
        if (rest != 0 && count != 0) {
            System.arraycopy(words, count << WORDS_SHIFT, words, 0, rest << WORDS_SHIFT);
        }
        size = rest;
    }

    private int allFlags(int i) {
        return (int) (words[at(i) + NOTES] >>> FLAGS_SHIFT);
    }

    private void note(int i, int packetFlags, int hash, int checksum) {
        words[at(i) + NOTES] = notes(packetFlags, hash, checksum);
    }

    private static long notes(int packetFlags, int hash, int checksum) {
        return (long) packetFlags << FLAGS_SHIFT | (checksum & 0xFFFFL) << CHECKSUM_SHIFT | hash & 0xFFFFFFFFL;
    }

    private int at(int i) {
        return java.util.Objects.checkIndex(i, size) << WORDS_SHIFT;
    }
}
