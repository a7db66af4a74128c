package dev.bascule.model.smartnic;

import dev.bascule.device.DeviceFormatException;
import dev.bascule.loopback.LinkProfile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * First page of each file of a region: 8-byte little-endian words magic, {version u32, kind u32}, region id, data bytes,
 * file bytes, nine latencies, and a digest of all these.
 *
 * @param kind 1 NIC memory, 2 host memory
 * @param id the same random number in both files
 * @param dataBytes size of the memory itself
 * @param fileBytes size of the file
 * @param profile latencies of the link
 */
record RegionHeader(int kind, long id, long dataBytes, long fileBytes, LinkProfile profile) {
    static final int NIC = 1;
    static final int HOST = 2;
    static final int VERSION = 1;
    static final long MAGIC = 0x314e_4f49_4745_5242L; // "BREGION1"

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int WORDS = 14;

    void writeTo(MemorySegment page) {
        long[] words = { MAGIC, VERSION | (long) kind << 32, id, dataBytes, fileBytes, profile.mmioReadUcNanos(),
                profile.mmioReadWcNanos(), profile.mmioReadWtNanos(), profile.mmioWriteNanos(),
                profile.postedWriteNanos(), profile.dmaReadNanos(), profile.dmaWriteNanos(), profile.msixNanos(),
                profile.coherentLineNanos() };
        for (int i = 0; i < WORDS; i++) {
            page.set(WORD, i * 8L, words[i]);
        }
        page.set(WORD, WORDS * 8L, digest(words));
    }

    /**
     * Reads and checks a header.
     *
     * @param object the file's name for messages
     * @param actualFileBytes how long the file is
     */
    static RegionHeader read(MemorySegment page, int kind, String object, long dataOffset, long actualFileBytes) {
        long[] words = new long[WORDS];
        for (int i = 0; i < WORDS; i++) {
            words[i] = page.get(WORD, i * 8L);
        }
        if (words[0] != MAGIC) {
            throw refused(object, "it does not begin with the mark of a SmartNIC region (found 0x"
                    + Long.toHexString(words[0]) + ")");
        }
        int version = (int) words[1];
        if (version != VERSION) {
            throw refused(object, "its layout has version " + version + ", this program knows version " + VERSION);
        }
        if (digest(words) != page.get(WORD, WORDS * 8L)) {
            throw refused(object, "its header is damaged (digest does not match)");
        }
        if ((int) (words[1] >>> 32) != kind) {
            throw refused(object, "it is the other file of a region (kind " + (words[1] >>> 32) + ")");
        }
        LinkProfile profile = profile(words, object);
        long needed = SmartNicConfig.isValidSize(words[3]) ? RegionLayout.fileBytes(dataOffset, words[3], profile) : -1;
        if (words[4] != needed) {
            throw refused(object, "its header names " + words[3] + " bytes of memory in a file of " + words[4]);
        }
        if (actualFileBytes != needed) {
            throw refused(object, "it is " + (actualFileBytes < needed ? "truncated: " : "too long: ")
                    + actualFileBytes + " of " + needed + " bytes");
        }
        return new RegionHeader(kind, words[2], words[3], words[4], profile);
    }

    private static LinkProfile profile(long[] words, String object) {
        try {
            return new LinkProfile(words[5], words[6], words[7], words[8], words[9], words[10], words[11], words[12],
                    words[13]);
        } catch (IllegalArgumentException e) {
            throw refused(object, e.getMessage() == null ? "bad link profile" : e.getMessage());
        }
    }

    static DeviceFormatException refused(String object, String problem) {
        return new DeviceFormatException("open region", object, problem,
                "start the host side again, which writes a fresh region, then attach");
    }

    private static long digest(long[] words) {
        long hash = 0xcbf29ce484222325L;
        for (long word : words) {
            hash = (hash ^ word) * 0x100000001b3L;
            hash ^= hash >>> 29;
        }
        return hash;
    }
}
