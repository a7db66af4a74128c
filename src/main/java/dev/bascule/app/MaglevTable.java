package dev.bascule.app;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Maglev's consistent-hash table (Eisenbud et al., NSDI'16, section 3.4): every back end fills the table along its own
 * permutation, in turns, so that shares differ by little and few entries change when back ends come and go. Immutable.
 */
public final class MaglevTable {
    /** A prime, as the method needs; the paper's smaller table size. */
    public static final int ENTRIES = 65_537;

    private final int[] entries = new int[ENTRIES];

    /** @param backends names of the back ends, 1 to 65,537, each once; the index of a name is what look-ups give */
    public MaglevTable(List<String> backends) {
        int count = backends.size();
        if (count < 1 || count > ENTRIES || count != backends.stream().distinct().count()) {
            throw new IllegalArgumentException(
                    "maglev: " + count + " back ends; 1 to " + ENTRIES + " different names are needed");
        }
        int[] at = new int[count];
        int[] skip = new int[count];
        for (int i = 0; i < count; i++) {
            at[i] = hash("offset:" + backends.get(i)) % ENTRIES;
            skip[i] = hash("skip:" + backends.get(i)) % (ENTRIES - 1) + 1;
        }
        Arrays.fill(entries, -1);
        fill(at, skip);
    }

    private void fill(int[] at, int[] skip) {
        int filled = 0;
        while (true) {
            for (int i = 0; i < at.length; i++) {
                while (entries[at[i]] >= 0) {
                    at[i] = (at[i] + skip[i]) % ENTRIES;
                }
                entries[at[i]] = i;
                if (++filled == ENTRIES) {
                    return;
                }
            }
        }
    }

    private static int hash(String text) {
        CRC32C crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        long mixed = crc.getValue() * 0x9E37_79B9_7F4A_7C15L;
        return (int) (mixed >>> 33);
    }

    /** The back end for a flow's hash. */
    int backend(int flowHash) {
        return entries[Integer.remainderUnsigned(flowHash, ENTRIES)];
    }

    /** Entries of each back end. */
    public int[] shares() {
        int[] shares = new int[Arrays.stream(entries).max().orElse(-1) + 1];
        for (int entry : entries) {
            shares[entry]++;
        }
        return shares;
    }
}
