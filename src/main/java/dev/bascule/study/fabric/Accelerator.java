package dev.bascule.study.fabric;

/**
 * Work of a device on one item. It is one and the same for a device that takes streams, for one with a descriptor ring,
 * and for the independent computation that a test does not use it for. Thread rule: that of its fabric.
 */
public interface Accelerator {
    /** The item ends here: there is no result, as with a card that has sent a frame. */
    int NOTHING = -1;
    /** The item makes no sense, such as a ciphertext whose tag is wrong. */
    int REJECTED = -2;

    /**
     * Works on an item.
     *
     * @param command what to do, as its graph says
     * @param parameter with what, such as the number of a key
     * @param in the item
     * @param out takes the result, {@link #mostResult} bytes or more
     * @return bytes of the result, {@link #NOTHING} or {@link #REJECTED}
     */
    int run(int command, int parameter, byte[] in, int offset, int lengthBytes, byte[] out);

    /** Longest result of an item of this length. */
    default int mostResult(int lengthBytes) {
        return lengthBytes;
    }

    /** How long the work takes, ps. */
    default long workPs(int command, int lengthBytes) {
        return 0;
    }
}
