package dev.bascule.nic.smartnic;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Messages that a card's cores and the process that serves the card send each other through a UNIX socket
 * (SOCK_SEQPACKET), in 8-byte little-endian words.
 * <p>
 * The cores begin: {@code MARK, VERSION}. The server answers with two descriptors, the file of the card's memory and an
 * eventfd that the host's doorbell signals:
 * {@code MARK, VERSION, offset of the region in the file, its bytes, vectors}. The cores then send {@code operation,
 * number, address, bytes} and up to 64 bytes of data, which are carried out in order, as a link does: {@link #READ} of
 * host memory, which is answered by {@code READ, number, 1 or 0 if the host refused it, 0} and the data; {@link #WRITE},
 * which is posted; {@link #RAISE}, where the number is an interrupt vector; {@link #COMPARE_AND_SWAP}, an AtomicOp whose
 * data is what is expected and what replaces it, and which is answered as a read is, by what was there.
 */
public final class CoresFormat {
    /** "BASCCOR1". */
    public static final long MARK = 0x3152_4f43_4353_4142L;
    /** Of this format. */
    public static final long VERSION = 2;
    /** Words of the cores' first message. */
    public static final int GREETING_WORDS = 2;
    /** Words of the server's first message. */
    public static final int HELLO_WORDS = 5;
    /** Words before the data. */
    public static final int HEAD_WORDS = 4;
    /** Most bytes of data. */
    public static final int DATA_BYTES = 64;
    /** Longest message. */
    public static final int MOST_BYTES = HEAD_WORDS * 8 + DATA_BYTES;
    /** Reads host memory. */
    public static final long READ = 1;
    /** Writes host memory. */
    public static final long WRITE = 2;
    /** Interrupts the host. */
    public static final long RAISE = 3;
    /** Compares and swaps a word of host memory. */
    public static final long COMPARE_AND_SWAP = 4;
    /** The words. */
    public static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

    private CoresFormat() {}
}
