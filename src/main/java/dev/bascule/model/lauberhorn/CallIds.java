package dev.bascule.model.lauberhorn;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;

/**
 * Transaction ids and source ports of calls that leave by the wire: a counter under a key of this NIC (AES-128), so that
 * nobody who does not see a call can say what its reply must look like.
 * <p>
 * Thread rule: the NIC's thread.
 */
final class CallIds {
    /** First port that the IANA assigns to nobody. */
    private static final int FIRST_FREE_PORT = 49_152;
    private static final int KEY_BYTES = 16;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    private final Cipher cipher;
    private final byte[] counter = new byte[KEY_BYTES];
    private final byte[] drawn = new byte[KEY_BYTES];
    private final MemorySegment drawnWords = MemorySegment.ofArray(drawn);
    private final int firstPort;
    private final int ports;
    private long calls;

    /** Ids of a NIC with this address: source ports are those of its own that nobody is assigned, or any of its own. */
    CallIds(NicAddress address) {
        firstPort = address.lastPort() < FIRST_FREE_PORT
                ? address.firstPort()
                : Math.max(address.firstPort(), FIRST_FREE_PORT);
        ports = address.lastPort() - firstPort + 1;
        byte[] key = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(key);
        try {
            cipher = Cipher.getInstance("AES/ECB/NoPadding");
            cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has AES", e);
        }
    }

    /** Draws the next call's id and port. */
    void draw() {
        MemorySegment.ofArray(counter).set(WORD, 0, ++calls);
        try {
            cipher.update(counter, 0, KEY_BYTES, drawn, 0);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a block has " + KEY_BYTES + " bytes", e);
        }
    }

    /** Transaction id that was drawn. */
    int xid() {
        return (int) drawnWords.get(WORD, 0);
    }

    /** Source port that was drawn. */
    int port() {
        return firstPort + (int) Long.remainderUnsigned(drawnWords.get(WORD, Long.BYTES), ports);
    }
}
