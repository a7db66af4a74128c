package dev.bascule.study.enso;

import dev.bascule.app.enso.Traffic;
import dev.bascule.study.fabric.AesGcm;
import dev.bascule.study.fabric.WorkTime;
import java.util.Arrays;
import java.util.List;

/**
 * An AES-GCM engine where a card's wire would be: what leaves the card is sealed by the JDK and comes back in. A message is
 * a UDP frame of which bytes 0 to 49 stay as they are; the rest is plain bytes with room for nonce and tag behind, and
 * becomes nonce, ciphertext and tag of the same length. So a card with pipes, or with rings of descriptors, is a
 * look-aside accelerator with that interface, and its driver is the card's.
 */
final class SealingUnit {
    /** Headers and number in front of what is sealed. */
    static final int CLEAR_BYTES = 50;
    /** From a message's end to the end of its result, beside the engine's speed; chosen. */
    static final long LATENCY_PS = 500_000;

    private static final byte[] KEY = new byte[16];
    /** As fast as 100 Gbit/s; chosen. */
    private static final WorkTime SPEED = new WorkTime(0, 80);

    private final AesGcm device = new AesGcm(List.of(KEY), 1, SPEED);
    private final AesGcm host = new AesGcm(List.of(KEY), 2, WorkTime.NONE);
    private long freePs;

    /** A message of {@code lengthBytes}, whose sealed bytes are plain text made of its number. */
    static byte[] message(int number, int lengthBytes) {
        byte[] frame = Traffic.udp(0x0A00_0001, 1024, lengthBytes);
        for (int i = CLEAR_BYTES; i < lengthBytes - AesGcm.OVERHEAD; i++) {
            frame[i] = (byte) (number * 31 + i);
        }
        return frame;
    }

    /** The result of a message. */
    byte[] seal(byte[] message, int lengthBytes) {
        byte[] out = Arrays.copyOf(message, lengthBytes);
        byte[] sealed = new byte[lengthBytes - CLEAR_BYTES];
        device.run(AesGcm.SEAL, 0, message, CLEAR_BYTES, lengthBytes - CLEAR_BYTES - AesGcm.OVERHEAD, sealed);
        System.arraycopy(sealed, 0, out, CLEAR_BYTES, sealed.length);
        return out;
    }

    /** When the engine is done with a message that is there at {@code readyPs}. */
    long donePs(long readyPs, int lengthBytes) {
        freePs = Math.max(freePs, readyPs) + SPEED.of(lengthBytes);
        return freePs + LATENCY_PS;
    }

    /** Whether a result opens to the plain text of its number. */
    boolean isRight(byte[] result, int number) {
        byte[] plain = new byte[result.length];
        int bytes = host.run(AesGcm.OPEN, 0, result, CLEAR_BYTES, result.length - CLEAR_BYTES, plain);
        byte[] wanted = message(number, result.length);
        return bytes == result.length - CLEAR_BYTES - AesGcm.OVERHEAD
                && Arrays.equals(plain, 0, bytes, wanted, CLEAR_BYTES, CLEAR_BYTES + bytes);
    }
}
