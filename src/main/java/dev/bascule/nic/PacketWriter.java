package dev.bascule.nic;

/**
 * Operations of drivers and owners of packet memory on a {@link PacketBatch}: they fill it with what came, and take
 * packets out of it that the card has now. Programs have no use for it. Nothing here allocates or checks what
 * {@link PacketBatch} does not. OVERHEAD: static, and no object that a queue would have to load for each burst.
 * <p>
 * Thread rule: that of the batch.
 */
public final class PacketWriter {
    /** Flag: the entry is not as long as the packet in the card's memory says. */
    public static final int RESIZED = PacketBatch.RESIZED;

    private PacketWriter() {}

    /**
     * The entries appended from now on lie in {@code owner}.
     *
     * @throws IllegalStateException if the batch holds packets of another owner
     */
    public static void open(PacketBatch batch, PacketMemory owner) {
        batch.openFor(owner);
    }

    /** Appends an entry without anything the card says; {@link #describe} adds that. */
    public static void add(PacketBatch batch, long token, long offset, int lengthBytes, int packetFlags) {
        batch.add(token, offset, lengthBytes, packetFlags);
    }

    /**
     * {@link #add} and {@link #describe} in one step for entry {@code i}, which counts once {@link #setSize} includes it;
     * for loops that keep the size in a register.
     */
    public static void put(PacketBatch batch, int i, long token, long offset, int lengthBytes, int packetFlags,
            int hash, int checksum, long timestampNanos) {
        batch.put(i, token, offset, lengthBytes, packetFlags, hash, checksum, timestampNanos);
    }

    /** Only the first {@code entries} count; those beyond the former size have been {@link #put}. */
    public static void setSize(PacketBatch batch, int entries) {
        batch.setSize(entries);
    }

    /** Notes what the card says about an entry. */
    public static void describe(PacketBatch batch, int i, int hash, int checksum, long timestampNanos) {
        batch.describe(i, hash, checksum, timestampNanos);
    }

    /** Asks for the same on the way out, of a packet in one piece, as entry {@code j} of another batch does. */
    public static void copyRequest(PacketBatch batch, int i, PacketBatch from, int j) {
        batch.copyRequest(i, from, j);
    }

    /** Token by which the owner knows the packet. */
    public static long token(PacketBatch batch, int i) {
        return batch.token(i);
    }

    /** Whether an entry has any of {@code some} flags, {@link #RESIZED} included. */
    public static boolean has(PacketBatch batch, int i, int some) {
        return batch.has(i, some);
    }

    /** The request of {@link PacketBatch#requestChecksum}: distance from the start in bits 14 to 8, start in 6 to 0. */
    public static int checksumRequest(PacketBatch batch, int i) {
        return batch.checksumRequest(i);
    }

    /**
     * Inserts the checksum that {@link PacketBatch#requestChecksum} asks of the packet that begins at entry {@code i}, for
     * a card that does not. Once a packet: a second time would find its own sum in the field.
     */
    public static void insertChecksum(PacketBatch batch, int i) {
        SoftwareChecksum.insert(batch, i);
    }

    /**
     * Stores the tokens of all entries, 8 bytes each, from {@code address} on. If an entry has any of {@code unless}
     * flags, what was stored is of no use.
     *
     * @return bytes of all entries, or -1 if one has such a flag
     */
    public static long storeTokens(PacketBatch batch, long address, int unless) {
        return batch.storeTokens(address, unless);
    }

    /** Takes the first {@code count} entries out without giving them back; their new owner has them. */
    public static void removeFirst(PacketBatch batch, int count) {
        batch.removeFirst(count);
    }
}
