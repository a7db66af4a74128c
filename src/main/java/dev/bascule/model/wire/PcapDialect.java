package dev.bascule.model.wire;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A dialect of pcap: what the magic number means.
 *
 * @param unitNanos nanoseconds in a unit of the fraction of a second
 * @param extraBytes bytes of the file's header behind the usual ones
 * @param headerBytes lengths that the header of a record may have, the usual one first; nothing in the file tells which
 */
record PcapDialect(int unitNanos, int extraBytes, List<Integer> headerBytes) {
    static final int USUAL_HEADER_BYTES = 16;
    private static final int MICROS = 1000;
    private static final long MICROS_IN_A_SECOND = 1_000_000;
    private static final int RECORDS_TRIED = 4;

    /** The dialect of a magic number, read in the file's byte order; null if it is none. */
    static @Nullable PcapDialect of(int magic) {
        return switch (magic) {
            // Red Hat 6.1 and Nokia wrote longer headers under the usual number
            case 0xa1b2c3d4 -> new PcapDialect(MICROS, 0, List.of(USUAL_HEADER_BYTES, 24, 20));
            case CaptureReader.PCAP_NANOS -> new PcapDialect(1, 0, List.of(USUAL_HEADER_BYTES));
            // Kuznetzov's patch; that of SuSE 6.3 is longer
            case 0xa1b2cd34 -> new PcapDialect(MICROS, 0, List.of(24, 28));
            // Ixia, of hardware and of software: the size of all records follows the header
            case 0x1c0001ac, 0x1c0001ab -> new PcapDialect(MICROS, 4, List.of(USUAL_HEADER_BYTES));
            default -> null;
        };
    }

    /** Bytes that {@link #headerBytesOf} wants to see. */
    int lookBytes() {
        return headerBytes.size() == 1 ? 0 : RECORDS_TRIED * (CaptureReader.MAX_FRAME_BYTES + headerBytes.getLast());
    }

    /** How long the headers of records are: the length with which the first records make sense, the usual one if several do. */
    int headerBytesOf(ByteBuffer records) {
        int best = headerBytes.getFirst();
        int most = -1;
        for (int length : headerBytes) {
            int sensible = sensible(records, length);
            if (sensible > most) {
                best = length;
                most = sensible;
            }
        }
        return best;
    }

    private int sensible(ByteBuffer records, int header) {
        int at = 0;
        for (int found = 0; found < RECORDS_TRIED; found++) {
            if (at + header > records.limit()) {
                return RECORDS_TRIED; // the file ends, or is cut, here: nothing speaks against this length
            }
            long kept = Integer.toUnsignedLong(records.getInt(at + 8));
            long original = Integer.toUnsignedLong(records.getInt(at + 12));
            if (Integer.toUnsignedLong(records.getInt(at + 4)) >= MICROS_IN_A_SECOND || kept == 0
                    || kept > original || original > CaptureReader.MAX_FRAME_BYTES) {
                return found;
            }
            at += header + (int) kept;
        }
        return RECORDS_TRIED;
    }
}
