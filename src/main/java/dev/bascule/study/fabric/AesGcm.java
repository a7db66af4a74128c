package dev.bascule.study.fabric;

import java.security.GeneralSecurityException;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * A crypto accelerator: AES in Galois/counter mode (NIST SP 800-38D) with 96-bit nonces and 128-bit tags. Sealed bytes are
 * nonce, ciphertext, tag. The parameter of a command is the number of the key; bytes whose tag is wrong are rejected.
 */
public final class AesGcm implements Accelerator {
    /** Command: nonce, ciphertext and tag become plain bytes. */
    public static final int OPEN = 1;
    /** Command: plain bytes become nonce, ciphertext and tag. */
    public static final int SEAL = 2;
    /** Bytes that sealing adds. */
    public static final int OVERHEAD = 28;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;

    private final SecretKeySpec[] keys;
    private final long[] sealed;
    private final Cipher cipher;
    private final int salt;
    private final WorkTime time;

    /**
     * An accelerator with these keys.
     *
     * @param keys 16 or 32 bytes each
     * @param salt first four bytes of the nonces it makes; a number counts on from 0 behind it, so two devices with one key
     *     need two salts
     */
    public AesGcm(List<byte[]> keys, int salt, WorkTime time) {
        this.keys = new SecretKeySpec[keys.size()];
        for (int i = 0; i < this.keys.length; i++) {
            int length = keys.get(i).length;
            if (length != 16 && length != 32) {
                throw new IllegalArgumentException("key " + i + " has " + length + " bytes; AES takes 16 or 32 here");
            }
            this.keys[i] = new SecretKeySpec(keys.get(i), "AES");
        }
        sealed = new long[this.keys.length];
        this.salt = salt;
        this.time = time;
        try {
            cipher = Cipher.getInstance("AES/GCM/NoPadding");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK has no AES/GCM", e);
        }
    }

    @Override
    public int run(int command, int parameter, byte[] in, int offset, int lengthBytes, byte[] out) {
        if (parameter < 0 || parameter >= keys.length) {
            return REJECTED;
        }
        try {
            return switch (command) {
                case OPEN -> lengthBytes < OVERHEAD ? REJECTED : open(parameter, in, offset, lengthBytes, out);
                case SEAL -> seal(parameter, in, offset, lengthBytes, out);
                default -> REJECTED;
            };
        } catch (GeneralSecurityException e) {
            return REJECTED; // the tag is wrong
        }
    }

    private int open(int key, byte[] in, int offset, int lengthBytes, byte[] out) throws GeneralSecurityException {
        cipher.init(Cipher.DECRYPT_MODE, keys[key], new GCMParameterSpec(TAG_BITS, in, offset, NONCE_BYTES));
        return cipher.doFinal(in, offset + NONCE_BYTES, lengthBytes - NONCE_BYTES, out, 0);
    }

    private int seal(int key, byte[] in, int offset, int lengthBytes, byte[] out)
            throws GeneralSecurityException, ShortBufferException {
        long number = sealed[key]++;
        for (int i = 0; i < 4; i++) {
            out[i] = (byte) (salt >>> 24 - 8 * i);
        }
        for (int i = 0; i < 8; i++) {
            out[4 + i] = (byte) (number >>> 56 - 8 * i);
        }
        cipher.init(Cipher.ENCRYPT_MODE, keys[key], new GCMParameterSpec(TAG_BITS, out, 0, NONCE_BYTES));
        return NONCE_BYTES + cipher.doFinal(in, offset, lengthBytes, out, NONCE_BYTES);
    }

    @Override
    public int mostResult(int lengthBytes) {
        return lengthBytes + OVERHEAD;
    }

    @Override
    public long workPs(int command, int lengthBytes) {
        return time.of(lengthBytes);
    }
}
